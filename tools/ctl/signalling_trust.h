#ifndef TOOLS_CTL_SIGNALLING_TRUST_H_
#define TOOLS_CTL_SIGNALLING_TRUST_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/ctl/signalling_client.h"

namespace sluice {

// The certificate of the authority that a participant goes by, as PEM; empty when the options say
// that the gateway at `host` is believed as it is. InvalidArgument when that is not on this
// machine, NotFound with the folder when there is no certificate.
absl::StatusOr<std::string> ReadTrustedAuthority(const SignallingOptions& options,
                                                 const std::string& host);

}  // namespace sluice

#endif  // TOOLS_CTL_SIGNALLING_TRUST_H_

#ifndef TOOLS_CTL_OPEN_SIGNALLING_H_
#define TOOLS_CTL_OPEN_SIGNALLING_H_

#include <memory>

#include "absl/status/statusor.h"
#include "tools/ctl/signalling_client.h"

namespace sluice {

// A participant over what the target says: QUIC for "quic://", else gRPC. InvalidArgument for
// options that are wrong.
absl::StatusOr<std::unique_ptr<SignallingClient>> OpenSignalling(const SignallingOptions& options);

}  // namespace sluice

#endif  // TOOLS_CTL_OPEN_SIGNALLING_H_

#ifndef TOOLS_CTL_SRTP_OPTION_TEXT_H_
#define TOOLS_CTL_SRTP_OPTION_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {

// SRTP options as KEY=VALUE, with the keys of sluice.gateway.v1.SrtpOptions:
//   encrypted_extension_ids=1,3  cryptex=off|on|required  rtp_replay_window=2048
//   rtcp_replay_window=256  key_derivation_rate=4096  unencrypted_rtcp=true|false
//   rtp_lifetime=SOFT/HARD or HARD  rtcp_lifetime=SOFT/HARD or HARD
// Ranges are the gateway's to check.
absl::StatusOr<gateway::v1::SrtpOptions> ParseSrtpOptions(const std::vector<std::string>& texts);

// Those that are not the defaults of leg.proto, between blanks; "-" if there are none.
std::string FormatSrtpOptions(const gateway::v1::SrtpOptions& options);

}  // namespace sluice

#endif  // TOOLS_CTL_SRTP_OPTION_TEXT_H_

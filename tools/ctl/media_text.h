#ifndef TOOLS_CTL_MEDIA_TEXT_H_
#define TOOLS_CTL_MEDIA_TEXT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {

// What both ends agreed on about media, as flags say it. Ranges are the gateway's to check.

// "96:VP8/90000:nack,nack-pli,transport-cc", "97:rtx/90000:apt=96": number, encoding and clock rate
// as in SDP, then RTCP feedback with '-' for the blank of "nack pli", and with apt= the payload
// type that "rtx" repeats or "red" wraps. "111:opus:48000", "111:opus" and "111" do too; what they
// leave out is left to the gateway.
absl::StatusOr<gateway::v1::PayloadType> ParsePayloadType(absl::string_view text);

// "ID=URI", such as "3=urn:ietf:params:rtp-hdrext:ssrc-audio-level".
absl::StatusOr<gateway::v1::HeaderExtension> ParseHeaderExtension(absl::string_view text);

// "SSRC[,rtx=SSRC][,fec=SSRC]"; SSRCs are decimal, or hexadecimal behind 0x as tables show them.
absl::StatusOr<gateway::v1::StreamGroup> ParseStreamGroup(absl::string_view text);

}  // namespace sluice

#endif  // TOOLS_CTL_MEDIA_TEXT_H_

#ifndef INTERCEPTOR_RTCP_PACKET_BODY_H_
#define INTERCEPTOR_RTCP_PACKET_BODY_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "srtp/rtp_types.h"

namespace sluice {

// One RTCP packet of a compound between its header and its padding. Points into the bytes it was
// parsed from.
struct RtcpPacketBody {
  // The five bits in front of the type: a count, or a feedback packet's format.
  uint8_t count;
  // What follows the header's four bytes, padding left out.
  absl::Span<const uint8_t> bytes;

  // `packet` is one whole packet, as RtcpPacketView::ForEachPacket gives it. nullopt unless V = 2,
  // the type is `type`, the header's length is that of `packet` and, where P = 1, the last byte
  // counts 1..body bytes (RFC 3550 section 6.4.1).
  static std::optional<RtcpPacketBody> Parse(absl::Span<const uint8_t> packet, uint8_t type);
};

// Sender SSRC, media SSRC and what is said about it (RFC 4585 section 6.1). As above.
struct RtcpFeedbackBody {
  Ssrc sender;
  Ssrc media;
  // Feedback control information.
  absl::Span<const uint8_t> fci;

  // nullopt unless `packet` is of that type and format and has both SSRCs.
  static std::optional<RtcpFeedbackBody> Parse(absl::Span<const uint8_t> packet, uint8_t type,
                                               uint8_t format);
};

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_PACKET_BODY_H_

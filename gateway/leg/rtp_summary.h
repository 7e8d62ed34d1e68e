#ifndef GATEWAY_LEG_RTP_SUMMARY_H_
#define GATEWAY_LEG_RTP_SUMMARY_H_

#include <cstdint>

#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What statistics need of an RTP packet, copied while it is readable: it is counted as sent only
// after it was encrypted.
struct RtpSummary {
  Ssrc ssrc{0};
  SequenceNumber sequence{0};
  RtpTimestamp timestamp{0};
  PayloadType payload_type{0};
  // Without header and padding (RFC 3550 section 6.4.1).
  uint16_t payload_bytes = 0;

  // `view` is of a datagram, so its payload fits.
  static RtpSummary Of(const RtpPacketView& view) {
    return {.ssrc = view.ssrc(),
            .sequence = view.sequence_number(),
            .timestamp = view.timestamp(),
            .payload_type = view.payload_type(),
            .payload_bytes = static_cast<uint16_t>(view.payload_without_padding().size())};
  }
};

}  // namespace sluice

#endif  // GATEWAY_LEG_RTP_SUMMARY_H_

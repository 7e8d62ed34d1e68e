#include "interceptor/rtcp/nack.h"

#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<NackView> NackView::Parse(absl::Span<const uint8_t> packet) {
  const std::optional<RtcpFeedbackBody> body =
      RtcpFeedbackBody::Parse(packet, kRtcpTransportFeedback, kGenericNackFormat);
  // Padding of any size may leave part of an item.
  if (!body.has_value() || body->fci.empty() || body->fci.size() % 4 != 0) {
    return std::nullopt;
  }
  return NackView(body->sender, body->media, body->fci);
}

size_t WriteNack(Ssrc sender, Ssrc media, absl::Span<const SequenceNumber> missing,
                 absl::Span<uint8_t> buffer, size_t& written) {
  RtcpPacketWriter writer(buffer, kGenericNackFormat, kRtcpTransportFeedback);
  writer.PutSsrc(sender);
  writer.PutSsrc(media);
  size_t next = 0;
  while (next < missing.size() && writer.remaining() >= 4) {
    const uint16_t first = missing[next++].value();
    unsigned mask = 0;
    for (; next < missing.size(); ++next) {
      // 0: the same number again, which is named already.
      const auto ahead = static_cast<uint16_t>(missing[next].value() - first);
      if (ahead >= kMaxNackItemPackets) {
        break;
      }
      mask |= (1u << ahead) >> 1;
    }
    writer.U16(first);
    writer.U16(static_cast<uint16_t>(mask));
  }
  written = next;
  return next == 0 ? 0 : writer.Finish();
}

}  // namespace sluice

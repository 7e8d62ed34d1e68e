#include "interceptor/rtcp/packet_body.h"

#include "base/bounded_reader.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<RtcpPacketBody> RtcpPacketBody::Parse(absl::Span<const uint8_t> packet,
                                                    uint8_t type) {
  const auto header = FixedReader<kRtcpHeaderSize>::From(packet);
  if (!header.has_value() || header->Load8<0>() >> 6 != 2 || header->Load8<1>() != type ||
      (size_t{header->Load16<2>()} + 1) * 4 != packet.size()) {
    return std::nullopt;
  }
  absl::Span<const uint8_t> bytes = packet.subspan(kRtcpHeaderSize);
  if ((header->Load8<0>() & 0x20) != 0) {
    if (bytes.empty() || bytes.back() == 0 || bytes.back() > bytes.size()) {
      return std::nullopt;
    }
    bytes.remove_suffix(bytes.back());
  }
  return RtcpPacketBody{static_cast<uint8_t>(header->Load8<0>() & 0x1F), bytes};
}

std::optional<RtcpFeedbackBody> RtcpFeedbackBody::Parse(absl::Span<const uint8_t> packet,
                                                        uint8_t type, uint8_t format) {
  constexpr size_t kSsrcs = 8;
  const std::optional<RtcpPacketBody> body = RtcpPacketBody::Parse(packet, type);
  if (!body.has_value() || body->count != format) {
    return std::nullopt;
  }
  const auto ssrcs = FixedReader<kSsrcs>::From(body->bytes);
  if (!ssrcs.has_value()) {
    return std::nullopt;
  }
  return RtcpFeedbackBody{Ssrc(ssrcs->Load32<0>()), Ssrc(ssrcs->Load32<4>()),
                          body->bytes.subspan(kSsrcs)};
}

}  // namespace sluice

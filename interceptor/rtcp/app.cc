#include "interceptor/rtcp/app.h"

#include "base/bounded_reader.h"
#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<AppView> AppView::Parse(absl::Span<const uint8_t> packet) {
  constexpr size_t kFixedSize = 8;
  const std::optional<RtcpPacketBody> body = RtcpPacketBody::Parse(packet, kRtcpApplication);
  if (!body.has_value()) {
    return std::nullopt;
  }
  const auto fixed = FixedReader<kFixedSize>::From(body->bytes);
  if (!fixed.has_value()) {
    return std::nullopt;
  }
  return AppView(Ssrc(fixed->Load32<0>()), body->count, fixed->Load32<4>(),
                 body->bytes.subspan(kFixedSize));
}

size_t WriteApp(Ssrc ssrc, uint8_t subtype, uint32_t name, absl::Span<const uint8_t> data,
                absl::Span<uint8_t> buffer) {
  if (subtype > 31 || data.size() % 4 != 0) {
    return 0;
  }
  RtcpPacketWriter writer(buffer, subtype, kRtcpApplication);
  writer.PutSsrc(ssrc);
  writer.U32(name);
  writer.Bytes(data);
  return writer.Finish();
}

}  // namespace sluice

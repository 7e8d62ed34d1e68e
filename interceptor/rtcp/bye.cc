#include "interceptor/rtcp/bye.h"

#include "base/bounded_reader.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<ByeView> ByeView::Parse(absl::Span<const uint8_t> packet) {
  const std::optional<RtcpPacketBody> body = RtcpPacketBody::Parse(packet, kRtcpGoodbye);
  if (!body.has_value()) {
    return std::nullopt;
  }
  ByeView view;
  ByteReader reader(body->bytes);
  if (!reader.ReadBytes(body->count * size_t{4}, view.sources_)) {
    return std::nullopt;
  }
  // Who leaves is known already; a reason that lies about its length is only no reason.
  uint8_t size;
  if (reader.ReadU8(size)) {
    static_cast<void>(reader.ReadBytes(size, view.reason_));
  }
  return view;
}

Ssrc ByeView::source(size_t i) const {
  SLUICE_CHECK(i < source_count()) << i << " of " << source_count();
  return Ssrc(LoadBe32(sources_.data() + 4 * i));
}

size_t WriteBye(absl::Span<const Ssrc> sources, absl::string_view reason,
                absl::Span<uint8_t> buffer) {
  if (sources.size() > kMaxByeSources || reason.size() > kMaxByeReasonSize) {
    return 0;
  }
  RtcpPacketWriter writer(buffer, static_cast<uint8_t>(sources.size()), kRtcpGoodbye);
  for (const Ssrc source : sources) {
    writer.PutSsrc(source);
  }
  if (!reason.empty()) {
    writer.U8(static_cast<uint8_t>(reason.size()));
    for (const char c : reason) {
      writer.U8(static_cast<uint8_t>(c));
    }
  }
  return writer.Finish();
}

}  // namespace sluice

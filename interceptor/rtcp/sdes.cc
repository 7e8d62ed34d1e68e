#include "interceptor/rtcp/sdes.h"

#include <algorithm>

#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<SdesView> SdesView::Parse(absl::Span<const uint8_t> packet) {
  const std::optional<RtcpPacketBody> body = RtcpPacketBody::Parse(packet, kRtcpSourceDescription);
  if (!body.has_value()) {
    return std::nullopt;
  }
  return SdesView(body->count, body->bytes);
}

void SdesView::SkipToNextChunk(ByteReader& reader) const {
  // Chunks begin at multiples of four; the last one's zeros may be missing.
  const size_t at = chunks_.size() - reader.remaining();
  const size_t zeros = std::min((4 - at % 4) % 4, reader.remaining());
  static_cast<void>(reader.Skip(zeros));
}

size_t WriteSdes(absl::Span<const SdesCname> sources, absl::Span<uint8_t> buffer) {
  if (sources.size() > kMaxSdesChunks) {
    return 0;
  }
  RtcpPacketWriter writer(buffer, static_cast<uint8_t>(sources.size()), kRtcpSourceDescription);
  for (const SdesCname& source : sources) {
    if (source.cname.empty() || source.cname.size() > kMaxSdesItemSize) {
      return 0;
    }
    writer.PutSsrc(source.ssrc);
    writer.U8(static_cast<uint8_t>(SdesItem::kCname));
    writer.U8(static_cast<uint8_t>(source.cname.size()));
    for (const char c : source.cname) {
      writer.U8(static_cast<uint8_t>(c));
    }
    writer.U8(static_cast<uint8_t>(SdesItem::kEnd));
    writer.Align();
  }
  return writer.Finish();
}

}  // namespace sluice

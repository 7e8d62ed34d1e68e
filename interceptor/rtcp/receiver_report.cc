#include "interceptor/rtcp/receiver_report.h"

#include "base/bounded_reader.h"
#include "base/check.h"
#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<ReceiverReportView> ReceiverReportView::Parse(absl::Span<const uint8_t> packet) {
  constexpr size_t kSsrcSize = 4;
  const std::optional<RtcpPacketBody> body = RtcpPacketBody::Parse(packet, kRtcpReceiverReport);
  if (!body.has_value()) {
    return std::nullopt;
  }
  const auto ssrc = FixedReader<kSsrcSize>::From(body->bytes);
  const size_t blocks_size = body->count * kReportBlockSize;
  if (!ssrc.has_value() || body->bytes.size() - kSsrcSize < blocks_size) {
    return std::nullopt;
  }
  ReceiverReportView view(Ssrc(ssrc->Load32<0>()));
  view.blocks_ = body->bytes.subspan(kSsrcSize, blocks_size);
  view.extension_ = body->bytes.subspan(kSsrcSize + blocks_size);
  return view;
}

ReportBlock ReceiverReportView::block(size_t i) const {
  const auto bytes = FixedReader<kReportBlockSize>::From(blocks_.subspan(i * kReportBlockSize));
  SLUICE_CHECK(bytes.has_value()) << "block " << i << " of " << block_count();
  return ReadReportBlock(*bytes);
}

size_t WriteReceiverReport(Ssrc ssrc, absl::Span<const ReportBlock> blocks,
                           absl::Span<uint8_t> buffer) {
  if (blocks.size() > kMaxReportBlocks) {
    return 0;
  }
  RtcpPacketWriter writer(buffer, static_cast<uint8_t>(blocks.size()), kRtcpReceiverReport);
  writer.PutSsrc(ssrc);
  for (const ReportBlock& block : blocks) {
    WriteReportBlock(block, writer);
  }
  return writer.Finish();
}

}  // namespace sluice

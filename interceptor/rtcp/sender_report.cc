#include "interceptor/rtcp/sender_report.h"

#include "base/bounded_reader.h"
#include "base/check.h"
#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<SenderReportView> SenderReportView::Parse(absl::Span<const uint8_t> packet) {
  constexpr size_t kSenderSize = 24;
  const std::optional<RtcpPacketBody> body = RtcpPacketBody::Parse(packet, kRtcpSenderReport);
  if (!body.has_value()) {
    return std::nullopt;
  }
  const auto sender = FixedReader<kSenderSize>::From(body->bytes);
  const size_t blocks_size = body->count * kReportBlockSize;
  if (!sender.has_value() || body->bytes.size() - kSenderSize < blocks_size) {
    return std::nullopt;
  }
  SenderReportView view;
  view.sender_ = {.ssrc = Ssrc(sender->Load32<0>()),
                  .ntp_time = sender->Load64<4>(),
                  .rtp_timestamp = RtpTimestamp(sender->Load32<12>()),
                  .packet_count = sender->Load32<16>(),
                  .octet_count = sender->Load32<20>()};
  view.blocks_ = body->bytes.subspan(kSenderSize, blocks_size);
  view.extension_ = body->bytes.subspan(kSenderSize + blocks_size);
  return view;
}

ReportBlock SenderReportView::block(size_t i) const {
  const auto bytes = FixedReader<kReportBlockSize>::From(blocks_.subspan(i * kReportBlockSize));
  SLUICE_CHECK(bytes.has_value()) << "block " << i << " of " << block_count();
  return ReadReportBlock(*bytes);
}

size_t WriteSenderReport(const SenderInfo& sender, absl::Span<const ReportBlock> blocks,
                         absl::Span<uint8_t> buffer) {
  if (blocks.size() > kMaxReportBlocks) {
    return 0;
  }
  RtcpPacketWriter writer(buffer, static_cast<uint8_t>(blocks.size()), kRtcpSenderReport);
  writer.PutSsrc(sender.ssrc);
  writer.U64(sender.ntp_time);
  writer.U32(sender.rtp_timestamp.value());
  writer.U32(sender.packet_count);
  writer.U32(sender.octet_count);
  for (const ReportBlock& block : blocks) {
    WriteReportBlock(block, writer);
  }
  return writer.Finish();
}

}  // namespace sluice

#include "interceptor/rtcp/report_block.h"

#include <algorithm>

namespace sluice {

ReportBlock ReadReportBlock(const FixedReader<kReportBlockSize>& bytes) {
  ReportBlock block;
  block.ssrc = Ssrc(bytes.Load32<0>());
  block.fraction_lost = bytes.Load8<4>();
  // Sign extension of 24 bits.
  const auto lost = static_cast<int32_t>(bytes.Load24<5>());
  block.cumulative_lost = (lost & 0x800000) != 0 ? lost - 0x1000000 : lost;
  block.extended_highest_sequence = bytes.Load32<8>();
  block.jitter = bytes.Load32<12>();
  block.last_sender_report = bytes.Load32<16>();
  block.delay_since_last_sender_report = bytes.Load32<20>();
  return block;
}

void WriteReportBlock(const ReportBlock& block, RtcpPacketWriter& writer) {
  const int32_t lost = std::clamp(block.cumulative_lost, kMinCumulativeLost, kMaxCumulativeLost);
  writer.PutSsrc(block.ssrc);
  writer.U8(block.fraction_lost);
  writer.U24(static_cast<uint32_t>(lost) & 0xFFFFFF);
  writer.U32(block.extended_highest_sequence);
  writer.U32(block.jitter);
  writer.U32(block.last_sender_report);
  writer.U32(block.delay_since_last_sender_report);
}

}  // namespace sluice

#include "interceptor/rtcp/report_block.h"

#include <vector>

#include "absl/types/span.h"
#include "base/bounded_reader.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

ReportBlock RoundTrip(const ReportBlock& block) {
  std::vector<uint8_t> buffer(4 + kReportBlockSize);
  RtcpPacketWriter writer(absl::MakeSpan(buffer), 1, 201);
  WriteReportBlock(block, writer);
  EXPECT_EQ(writer.Finish(), buffer.size());
  return ReadReportBlock(
      *FixedReader<kReportBlockSize>::From(absl::MakeConstSpan(buffer).subspan(4)));
}

TEST(ReportBlockTest, ReadsWhatWasWritten) {
  const ReportBlock block = {.ssrc = Ssrc(0xcafebabe),
                             .fraction_lost = 0xfe,
                             .cumulative_lost = 0x123456,
                             .extended_highest_sequence = 0xdeadbeef,
                             .jitter = 0xffffffff,
                             .last_sender_report = 0x01020304,
                             .delay_since_last_sender_report = 0x05060708};
  EXPECT_EQ(RoundTrip(block), block);
  EXPECT_EQ(RoundTrip({}), ReportBlock());
}

// RFC 3550 section 6.4.1: the number is signed, and duplicates make it negative.
TEST(ReportBlockTest, CumulativeLossHasASignAndStopsAtItsEnds) {
  for (const int32_t lost : {-1, -13, kMinCumulativeLost, 0, 1, kMaxCumulativeLost}) {
    EXPECT_EQ(RoundTrip({.cumulative_lost = lost}).cumulative_lost, lost);
  }
  EXPECT_EQ(RoundTrip({.cumulative_lost = INT32_MAX}).cumulative_lost, kMaxCumulativeLost);
  EXPECT_EQ(RoundTrip({.cumulative_lost = kMaxCumulativeLost + 1}).cumulative_lost,
            kMaxCumulativeLost);
  EXPECT_EQ(RoundTrip({.cumulative_lost = INT32_MIN}).cumulative_lost, kMinCumulativeLost);
}

}  // namespace
}  // namespace sluice

#include "interceptor/rtcp/receiver_report.h"

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/report_block.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;

Bytes Write(absl::Span<const ReportBlock> blocks) {
  Bytes buffer(1200);
  buffer.resize(WriteReceiverReport(Ssrc(0xcafebabe), blocks, absl::MakeSpan(buffer)));
  return buffer;
}

TEST(ReceiverReportTest, IsWrittenAsRfc3550Section642Draws) {
  EXPECT_EQ(ToHex(Write({})),
            "80c90001"
            "cafebabe");
  EXPECT_EQ(ToHex(Write({ReportBlock{.ssrc = Ssrc(1), .cumulative_lost = 2}})),
            "81c90007"
            "cafebabe"
            "00000001"
            "00000002"
            "00000000000000000000000000000000");
}

TEST(ReceiverReportTest, ReadsWhatWasWrittenWithAnyNumberOfBlocks) {
  for (size_t count = 0; count <= kMaxReportBlocks; ++count) {
    std::vector<ReportBlock> blocks(count);
    for (size_t i = 0; i < count; ++i) blocks[i].jitter = static_cast<uint32_t>(i);
    const Bytes packet = Write(blocks);
    const std::optional<ReceiverReportView> report = ReceiverReportView::Parse(packet);
    ASSERT_TRUE(report.has_value()) << count;
    EXPECT_EQ(report->ssrc(), Ssrc(0xcafebabe));
    ASSERT_EQ(report->block_count(), count);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(report->block(i), blocks[i]);
    EXPECT_THAT(report->extension(), IsEmpty());
  }
}

TEST(ReceiverReportTest, ReadsWhatAnotherWriterWrote) {
  const Bytes packet =
      RtcpPacketBuilder()
          .AddReceiverReport(9, std::vector<RtcpReportBlock>{{.ssrc = 6, .cumulative_lost = -7}})
          .Build();
  const std::optional<ReceiverReportView> report = ReceiverReportView::Parse(packet);
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->block_count(), 1u);
  EXPECT_EQ(report->block(0).cumulative_lost, -7);
}

// RFC 3550 section 6.4.3.
TEST(ReceiverReportTest, AProfilesExtensionBehindTheBlocksIsAllowed) {
  const Bytes packet = HexBytes("80c90002 cafebabe 01020304");
  const std::optional<ReceiverReportView> report = ReceiverReportView::Parse(packet);
  ASSERT_TRUE(report.has_value());
  EXPECT_THAT(report->extension(), ElementsAre(1, 2, 3, 4));
}

TEST(ReceiverReportTest, CountsNoMoreBlocksThanThereAre) {
  Bytes packet = Write(std::vector<ReportBlock>(2));
  packet[0] = 0x83;
  EXPECT_FALSE(ReceiverReportView::Parse(packet).has_value());
  packet[0] = 0x9f;
  EXPECT_FALSE(ReceiverReportView::Parse(packet).has_value());
}

TEST(ReceiverReportTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(Write(std::vector<ReportBlock>(2)), [](absl::Span<const uint8_t> packet) {
    const std::optional<ReceiverReportView> report = ReceiverReportView::Parse(packet);
    if (report.has_value()) {
      ASSERT_LE(8 + report->block_count() * kReportBlockSize + report->extension().size(),
                packet.size());
      for (size_t i = 0; i < report->block_count(); ++i) static_cast<void>(report->block(i));
    }
  });
}

TEST(ReceiverReportTest, DoesNotFitIsZero) {
  Bytes buffer(8 + 24);
  const std::vector<ReportBlock> one(1), many(kMaxReportBlocks + 1);
  EXPECT_EQ(WriteReceiverReport(Ssrc(1), one, absl::MakeSpan(buffer)), 32u);
  EXPECT_EQ(WriteReceiverReport(Ssrc(1), one, absl::MakeSpan(buffer).first(31)), 0u);
  EXPECT_EQ(WriteReceiverReport(Ssrc(1), one, {}), 0u);
  buffer.resize(4096);
  EXPECT_EQ(WriteReceiverReport(Ssrc(1), many, absl::MakeSpan(buffer)), 0u);
}

}  // namespace
}  // namespace sluice

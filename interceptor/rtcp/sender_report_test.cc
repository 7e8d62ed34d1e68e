#include "interceptor/rtcp/sender_report.h"

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

constexpr SenderInfo kSender = {.ssrc = Ssrc(0xcafebabe),
                                .ntp_time = 0x0102030405060708,
                                .rtp_timestamp = RtpTimestamp(0x090a0b0c),
                                .packet_count = 0xffffffff,
                                .octet_count = 0x11121314};

Bytes Write(absl::Span<const ReportBlock> blocks) {
  Bytes buffer(1200);
  buffer.resize(WriteSenderReport(kSender, blocks, absl::MakeSpan(buffer)));
  return buffer;
}

TEST(SenderReportTest, IsWrittenAsRfc3550Section641Draws) {
  const ReportBlock block = {.ssrc = Ssrc(1),
                             .fraction_lost = 2,
                             .cumulative_lost = -3,
                             .extended_highest_sequence = 4,
                             .jitter = 5,
                             .last_sender_report = 6,
                             .delay_since_last_sender_report = 7};
  EXPECT_EQ(ToHex(Write({block})),
            "81c8000c"
            "cafebabe"
            "0102030405060708"
            "090a0b0c"
            "ffffffff"
            "11121314"
            "00000001"
            "02fffffd"
            "00000004"
            "00000005"
            "00000006"
            "00000007");
}

TEST(SenderReportTest, ReadsWhatWasWrittenWithAnyNumberOfBlocks) {
  for (size_t count = 0; count <= kMaxReportBlocks; ++count) {
    std::vector<ReportBlock> blocks(count);
    for (size_t i = 0; i < count; ++i) blocks[i].ssrc = Ssrc(static_cast<uint32_t>(i));
    const Bytes packet = Write(blocks);
    const std::optional<SenderReportView> report = SenderReportView::Parse(packet);
    ASSERT_TRUE(report.has_value()) << count;
    EXPECT_EQ(report->sender(), kSender);
    ASSERT_EQ(report->block_count(), count);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(report->block(i), blocks[i]);
    EXPECT_THAT(report->extension(), IsEmpty());
  }
}

TEST(SenderReportTest, ReadsWhatAnotherWriterWrote) {
  const Bytes packet =
      RtcpPacketBuilder()
          .AddSenderReport(1, 2, 3, 4, 5, std::vector<RtcpReportBlock>{{.ssrc = 6}, {.ssrc = 7}})
          .Build();
  const std::optional<SenderReportView> report = SenderReportView::Parse(packet);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->sender().octet_count, 5u);
  ASSERT_EQ(report->block_count(), 2u);
  EXPECT_EQ(report->block(1).ssrc, Ssrc(7));
}

// RFC 3550 section 6.4.3.
TEST(SenderReportTest, AProfilesExtensionBehindTheBlocksIsAllowed) {
  Bytes packet = Write(std::vector<ReportBlock>(1));
  for (const uint8_t byte : {1, 2, 3, 4}) packet.push_back(byte);
  packet[3] += 1;
  const std::optional<SenderReportView> report = SenderReportView::Parse(packet);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->block_count(), 1u);
  EXPECT_THAT(report->extension(), ElementsAre(1, 2, 3, 4));
}

TEST(SenderReportTest, CountsNoMoreBlocksThanThereAre) {
  Bytes packet = Write(std::vector<ReportBlock>(2));
  packet[0] = 0x83;
  EXPECT_FALSE(SenderReportView::Parse(packet).has_value());
  packet[0] = 0x9f;
  EXPECT_FALSE(SenderReportView::Parse(packet).has_value());
  packet[0] = 0x81;
  EXPECT_TRUE(SenderReportView::Parse(packet).has_value());
}

TEST(SenderReportTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(Write(std::vector<ReportBlock>(2)), [](absl::Span<const uint8_t> packet) {
    const std::optional<SenderReportView> report = SenderReportView::Parse(packet);
    if (report.has_value()) {
      ASSERT_LE(28 + report->block_count() * kReportBlockSize + report->extension().size(),
                packet.size());
      for (size_t i = 0; i < report->block_count(); ++i) static_cast<void>(report->block(i));
    }
  });
}

TEST(SenderReportTest, DoesNotFitIsZero) {
  Bytes buffer(28 + 24);
  const std::vector<ReportBlock> one(1), many(kMaxReportBlocks + 1);
  EXPECT_EQ(WriteSenderReport(kSender, one, absl::MakeSpan(buffer)), 52u);
  EXPECT_EQ(WriteSenderReport(kSender, one, absl::MakeSpan(buffer).first(51)), 0u);
  EXPECT_EQ(WriteSenderReport(kSender, one, {}), 0u);
  buffer.resize(4096);
  EXPECT_EQ(WriteSenderReport(kSender, many, absl::MakeSpan(buffer)), 0u);
}

}  // namespace
}  // namespace sluice

#include "interceptor/ccfb/report_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Log = std::vector<std::string>;

struct Block {
  uint32_t ssrc;
  uint16_t begin;
  std::vector<CcfbMetric> metrics;
};

CcfbMetric Arrived(uint16_t offset) {
  return {.received = true, .ecn = EcnMark::kNotCapable, .arrival_offset = offset};
}
const CcfbMetric kLost = {};

// Two streams take turns: SSRC 1 from 65530 on, SSRC 2 from 100 on.
struct Reader {
  explicit Reader(int64_t packets_sent, size_t capacity = 64) : log(capacity), index(capacity) {
    for (int64_t i = 0; i < packets_sent; ++i) {
      const bool first = i % 2 == 0;
      index.Add(Ssrc(first ? 1 : 2),
                SequenceNumber(static_cast<uint16_t>((first ? 65'530 : 100) + i / 2)),
                log.Add(Timestamp::Millis(i), DataSize::Bytes(100), 0));
    }
  }

  Log Read(uint32_t timestamp, const std::vector<Block>& blocks) {
    Bytes packet(1200);
    CcfbWriter writer(Ssrc(7), timestamp, absl::MakeSpan(packet));
    for (const Block& block : blocks) {
      EXPECT_EQ(writer.AddStream(Ssrc(block.ssrc), SequenceNumber(block.begin), block.metrics),
                block.metrics.size());
    }
    packet.resize(writer.Finish());
    builder.BeginBatch();
    reader.Read(*CcfbView::Parse(packet), log, index, builder);
    Log result;
    if (const auto report = builder.EndDatagram(Timestamp::Seconds(1))) {
      for (const PacketReport& entry : report->packets) {
        result.push_back(absl::StrCat(entry.sequence, "@", entry.arrived));
      }
    }
    return result;
  }

  SendLog log;
  SentIndex index;
  ReportBuilder builder{log, 512};
  CongestionReportReader reader;
};

TEST(CongestionReportReaderTest, StreamsAreMergedInTheOrderOfSending) {
  Reader reader(20);
  EXPECT_THAT(reader.Read(10 << 16, {{1, 65'530, {Arrived(512), kLost}},
                                     {2, 100, {Arrived(256), Arrived(0)}}}),
              ElementsAre("0@9500 ms", "1@9750 ms", "2@+inf", "3@10 s"));
}

TEST(CongestionReportReaderTest, SequenceNumbersWrap) {
  Reader reader(20);
  // 65535, 0, 1 of SSRC 1.
  EXPECT_THAT(reader.Read(10 << 16, {{1, 65'535, {Arrived(0), kLost, Arrived(0)}}}),
              ElementsAre("10@10 s", "12@+inf", "14@10 s"));
}

TEST(CongestionReportReaderTest, TheClockWraps) {
  Reader reader(20);
  EXPECT_THAT(reader.Read(0xFFFF0000, {{1, 65'530, {Arrived(0)}}}), ElementsAre("0@65535 s"));
  EXPECT_THAT(reader.Read(0x00010000, {{1, 65'531, {Arrived(1024)}}}), ElementsAre("2@65536 s"));
}

TEST(CongestionReportReaderTest, PacketsNobodySentAreCounted) {
  Reader reader(20);
  EXPECT_THAT(reader.Read(10 << 16, {{3, 100, {Arrived(0), kLost}}, {2, 110, {Arrived(0)}}}),
              IsEmpty());
  EXPECT_EQ(reader.reader.unknown(), 3u);
}

TEST(CongestionReportReaderTest, ForgottenPacketsAreCounted) {
  Reader reader(200);
  EXPECT_THAT(reader.Read(10 << 16, {{2, 100, {Arrived(0), Arrived(0)}}}), IsEmpty());
  EXPECT_EQ(reader.reader.unknown(), 2u);
}

TEST(CongestionReportReaderTest, AnArrivalWithoutTimeIsNeitherLossNorDelay) {
  Reader reader(20);
  EXPECT_THAT(reader.Read(10 << 16, {{2,
                                      100,
                                      {Arrived(CcfbMetric::kOutOfRange),
                                       Arrived(CcfbMetric::kUnavailable), Arrived(0x1FFD)}}}),
              ElementsAre(absl::StrCat(
                  "5@", Timestamp::Seconds(10) - TimeDelta::Micros(8189 * 1'000'000LL / 1024))));
  EXPECT_EQ(reader.reader.untimed(), 2u);
}

TEST(CongestionReportReaderTest, WhatStandsBeforeABadBlockCounts) {
  Reader reader(20);
  Bytes packet(100);
  CcfbWriter writer(Ssrc(7), 10 << 16, absl::MakeSpan(packet));
  ASSERT_EQ(writer.AddStream(Ssrc(2), SequenceNumber(100), {Arrived(0)}), 1u);
  ASSERT_EQ(writer.AddStream(Ssrc(1), SequenceNumber(65'530), {Arrived(0)}), 1u);
  packet.resize(writer.Finish());
  // The second block claims more than there is: its count is behind header, sender, the first block
  // of 12 bytes, and SSRC and number of its own.
  packet[8 + 12 + 6] = 1;
  reader.builder.BeginBatch();
  reader.reader.Read(*CcfbView::Parse(packet), reader.log, reader.index, reader.builder);
  const auto report = reader.builder.EndDatagram(Timestamp::Seconds(1));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->packets.size(), 1u);
  EXPECT_EQ(reader.reader.malformed(), 1u);
}

}  // namespace
}  // namespace sluice

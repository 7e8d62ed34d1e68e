#include "interceptor/rtcp/ccfb.h"

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/testing/spoilt_packets.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Metrics = std::vector<CcfbMetric>;

struct Stream {
  uint32_t ssrc;
  uint16_t begin;
  Metrics metrics;

  friend bool operator==(const Stream&, const Stream&) = default;
};

struct Read {
  std::vector<Stream> streams;
  bool complete = false;
};

Read ReadAll(absl::Span<const uint8_t> packet) {
  Read read;
  const std::optional<CcfbView> feedback = CcfbView::Parse(packet);
  if (!feedback.has_value()) {
    ADD_FAILURE() << "not parsed: " << ToHex(packet);
    return read;
  }
  read.complete = feedback->ForEachStream([&](const CcfbStream& stream) {
    Stream copy = {stream.ssrc().value(), stream.begin().value(), {}};
    for (size_t i = 0; i < stream.metric_count(); ++i) copy.metrics.push_back(stream.metric(i));
    read.streams.push_back(copy);
  });
  return read;
}

constexpr CcfbMetric kLost;
constexpr CcfbMetric Received(uint16_t offset, EcnMark ecn = EcnMark::kNotCapable) {
  return {true, ecn, offset};
}

TEST(CcfbTest, IsWrittenAsRfc8888Section31DrawsAndRead) {
  Bytes buffer(100);
  CcfbWriter writer(Ssrc(1), 0x0a0b0c0d, absl::MakeSpan(buffer));
  const Metrics odd = {Received(512), kLost, Received(0x1FFD, EcnMark::kCongestion)};
  const Metrics even = {Received(CcfbMetric::kUnavailable, EcnMark::kCapable0), kLost};
  EXPECT_EQ(writer.AddStream(Ssrc(2), SequenceNumber(0xFFFF), odd), 3u);
  EXPECT_EQ(writer.AddStream(Ssrc(3), SequenceNumber(7), even), 2u);
  buffer.resize(writer.Finish());
  EXPECT_EQ(ToHex(buffer),
            "8bcd0009"
            "00000001"
            "00000002"
            "ffff0003"
            "82000000"
            "fffd0000"
            "00000003"
            "00070002"
            "dfff0000"
            "0a0b0c0d");
  const std::optional<CcfbView> feedback = CcfbView::Parse(buffer);
  ASSERT_TRUE(feedback.has_value());
  EXPECT_EQ(feedback->sender(), Ssrc(1));
  EXPECT_EQ(feedback->timestamp(), 0x0a0b0c0du);
  const Read read = ReadAll(buffer);
  EXPECT_TRUE(read.complete);
  EXPECT_THAT(read.streams, ElementsAre(Stream{2, 0xFFFF, odd}, Stream{3, 7, even}));
}

TEST(CcfbTest, AStreamWithoutMetricsAndAPacketWithoutStreamsAreLegal) {
  Read read = ReadAll(HexBytes("8bcd0004 00000001 00000002 00090000 0a0b0c0d"));
  EXPECT_TRUE(read.complete);
  EXPECT_THAT(read.streams, ElementsAre(Stream{2, 9, {}}));
  read = ReadAll(HexBytes("8bcd0002 00000001 0a0b0c0d"));
  EXPECT_TRUE(read.complete);
  EXPECT_THAT(read.streams, IsEmpty());
  Bytes buffer(20);
  CcfbWriter writer(Ssrc(1), 0x0a0b0c0d, absl::MakeSpan(buffer));
  EXPECT_EQ(writer.AddStream(Ssrc(2), SequenceNumber(9), {}), 0u);
  EXPECT_EQ(writer.Finish(), 20u);
}

// Section 3.1: what was not received has no mark and no time, whatever the bits.
TEST(CcfbTest, BitsOfPacketsThatWereNotReceivedMeanNothing) {
  const Read read = ReadAll(HexBytes("8bcd0005 00000001 00000002 00090001 7fff0000 0a0b0c0d"));
  EXPECT_THAT(read.streams, ElementsAre(Stream{2, 9, {kLost}}));
}

TEST(CcfbTest, TheFirstBlockPastThePacketEndsItAndTheEarlierOnesStand) {
  for (const char* count : {"0003", "4000", "4001", "ffff"}) {
    Bytes packet = HexBytes(
        "8bcd0008 00000001 00000002 00010002 80018002 00000003 00090000 80038004 0a0b0c0d");
    const Bytes field = HexBytes(count);
    std::copy(field.begin(), field.end(), packet.begin() + 26);
    const Read read = ReadAll(packet);
    EXPECT_FALSE(read.complete) << count;
    EXPECT_THAT(read.streams, ElementsAre(Stream{2, 1, {Received(1), Received(2)}})) << count;
  }
}

TEST(CcfbTest, ABlockOfMoreThanAQuarterOfTheNumbersIsNotBelieved) {
  const auto packet_with = [](size_t count) {
    Bytes packet = HexBytes("8bcd0000 00000001 00000002 00000000");
    packet[14] = static_cast<uint8_t>(count >> 8);
    packet[15] = static_cast<uint8_t>(count);
    packet.resize(packet.size() + (count + 1) / 2 * 4 + 4);
    packet[2] = static_cast<uint8_t>((packet.size() / 4 - 1) >> 8);
    packet[3] = static_cast<uint8_t>(packet.size() / 4 - 1);
    return packet;
  };
  EXPECT_TRUE(ReadAll(packet_with(kMaxCcfbMetrics)).complete);
  EXPECT_FALSE(ReadAll(packet_with(kMaxCcfbMetrics + 1)).complete);
  EXPECT_THAT(ReadAll(packet_with(kMaxCcfbMetrics + 1)).streams, IsEmpty());
}

TEST(CcfbTest, NeedsSenderAndTimestamp) {
  EXPECT_FALSE(CcfbView::Parse(HexBytes("8bcd0001 00000001")).has_value());
  EXPECT_FALSE(CcfbView::Parse(HexBytes("8acd0002 00000001 00000002")).has_value());
}

TEST(CcfbTest, SaysWhatDidNotFit) {
  const Metrics metrics(5, Received(1));
  for (size_t room = 0; room <= 40; ++room) {
    Bytes memory(48, 0xEE);
    CcfbWriter writer(Ssrc(1), 2, absl::MakeSpan(memory).first(room));
    const size_t added = writer.AddStream(Ssrc(2), SequenceNumber(0), metrics);
    // Header, sender, block header and timestamp are 20 bytes; two metrics to a word.
    const size_t want = room < 24 ? 0 : std::min<size_t>((room - 20) / 4 * 2, 5);
    EXPECT_EQ(added, want) << room;
    const size_t size = writer.Finish();
    EXPECT_EQ(size, room < 12 ? 0 : want == 0 ? 12 : 20 + (want + 1) / 2 * 4) << room;
    if (size != 0) {
      EXPECT_TRUE(ReadAll(absl::MakeSpan(memory).first(size)).complete) << room;
    }
    for (size_t i = room; i < memory.size(); ++i) EXPECT_EQ(memory[i], 0xEE);
  }
}

TEST(CcfbTest, SpoiltPacketsAreReadInsideTheirBytesOrNotAtAll) {
  ForEachSpoiltPacket(
      HexBytes("8bcd0009 00000001 00000002 ffff0003 82000000 fffd0000 00000003 00070002 dfff0000"
               "0a0b0c0d"),
      [](absl::Span<const uint8_t> packet) {
        if (!CcfbView::Parse(packet).has_value()) return;
        size_t bytes = 12;
        for (const Stream& stream : ReadAll(packet).streams) {
          bytes += 8 + 2 * stream.metrics.size();
        }
        ASSERT_LE(bytes, packet.size());
      });
}

}  // namespace
}  // namespace sluice

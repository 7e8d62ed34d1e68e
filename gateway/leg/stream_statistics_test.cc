#include "gateway/leg/stream_statistics.h"

#include <cstdint>
#include <vector>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/rtp_summary.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

constexpr uint32_t kClockRate = 8'000;
// 20 ms at 8 kHz.
constexpr uint32_t kTicksPerPacket = 160;
constexpr TimeDelta kPacketTime = TimeDelta::Millis(20);

RtpSummary Packet(uint16_t sequence, uint32_t timestamp) {
  return {.ssrc = Ssrc(1),
          .sequence = SequenceNumber(sequence),
          .timestamp = RtpTimestamp(timestamp),
          .payload_type = PayloadType(8),
          .payload_bytes = 160};
}

StreamSnapshot Received(const StreamStatistics& statistics) {
  return statistics.Snapshot(Ssrc(1), StreamDirection::kReceived);
}

// What is told after these sequence numbers.
StreamSnapshot AfterSequences(const std::vector<uint16_t>& sequences) {
  StreamStatistics statistics;
  for (const uint16_t sequence : sequences) {
    statistics.OnPacket(Timestamp::Seconds(1), Packet(sequence, 0), kClockRate);
  }
  return Received(statistics);
}

TEST(StreamStatisticsTest, LossIsExpectedMinusReceived) {
  const struct {
    const char* what;
    std::vector<uint16_t> sequences;
    int64_t lost;
    uint64_t highest;
  } kTable[] = {
      {"nothing lost", {1, 2, 3}, 0, 3},
      {"one packet is a whole stream", {700}, 0, 700},
      {"a gap", {1, 2, 5}, 2, 5},
      {"late is not lost", {1, 3, 2}, 0, 3},
      {"a duplicate makes it negative", {1, 2, 2}, -1, 2},
      {"over the wrap", {65534, 65535, 0, 1}, 0, 65537},
      {"a gap over the wrap", {65534, 1}, 2, 65537},
      {"late over the wrap", {65535, 1, 0}, 0, 65537},
      {"two wraps",
       {65000, 0,     2500,  5000,  7500,  10000, 12500, 15000, 17500, 20000,
        22500, 25000, 27500, 30000, 32500, 35000, 37500, 40000, 42500, 45000,
        47500, 50000, 52500, 55000, 57500, 60000, 62500, 65000, 0},
       131072 - 65000 + 1 - 29,
       131072},
      {"the first was overtaken", {100, 99}, 0, 100},
      {"the first was overtaken over the wrap", {1, 65535, 0}, 0, 1},
      {"one far packet is not believed", {1, 2, 30000, 3}, 0, 3},
      {"two far packets in a row are a new start", {1, 2, 30000, 30001, 30002}, 0, 30002},
      {"what was lost before a new start stays lost", {1, 2, 4, 30000, 30001}, 1, 30001},
      {"far below too, and the number goes on", {30000, 30001, 5, 6, 7}, 0, 65536 + 7},
  };
  for (const auto& row : kTable) {
    const StreamSnapshot snapshot = AfterSequences(row.sequences);
    EXPECT_EQ(snapshot.packets_lost, row.lost) << row.what;
    EXPECT_EQ(snapshot.extended_highest_sequence, row.highest) << row.what;
    EXPECT_EQ(snapshot.packets, row.sequences.size()) << row.what;
  }
}

TEST(StreamStatisticsTest, SentStreamsHaveNoLossAndNoJitter) {
  StreamStatistics statistics;
  statistics.OnPacket(Timestamp::Seconds(1), Packet(1, 0), kClockRate);
  statistics.OnPacket(Timestamp::Seconds(9), Packet(7, 0), kClockRate);
  const StreamSnapshot snapshot = statistics.Snapshot(Ssrc(1), StreamDirection::kSent);
  EXPECT_EQ(snapshot.packets_lost, 0);
  EXPECT_EQ(snapshot.jitter, TimeDelta::Zero());
  EXPECT_EQ(snapshot.packets, 2u);
  EXPECT_EQ(snapshot.payload_bytes, 320u);
  EXPECT_EQ(snapshot.payload_type, PayloadType(8));
}

TEST(StreamStatisticsTest, BeforeTheFirstPacketAllIsZero) {
  const StreamSnapshot snapshot = Received(StreamStatistics());
  EXPECT_EQ(snapshot.packets, 0u);
  EXPECT_EQ(snapshot.packets_lost, 0);
  EXPECT_EQ(snapshot.jitter, TimeDelta::Zero());
}

// A sender that is never late; `first_timestamp` lets its clock wrap.
StreamStatistics SteadyStream(uint32_t first_timestamp, int packets, Timestamp& now) {
  StreamStatistics statistics;
  for (int i = 0; i < packets; ++i) {
    statistics.OnPacket(now,
                        Packet(static_cast<uint16_t>(i),
                               first_timestamp + static_cast<uint32_t>(i) * kTicksPerPacket),
                        kClockRate);
    now += kPacketTime;
  }
  return statistics;
}

TEST(StreamStatisticsTest, ASteadyStreamHasNoJitterAlsoWhereTimestampsWrap) {
  for (const uint32_t first : {0u, UINT32_MAX - 50 * kTicksPerPacket, 0x7FFFFFFFu - 1000}) {
    Timestamp now = Timestamp::Seconds(1);
    EXPECT_EQ(Received(SteadyStream(first, 200, now)).jitter, TimeDelta::Zero()) << first;
  }
}

TEST(StreamStatisticsTest, JitterFollowsAppendixA8) {
  StreamStatistics statistics;
  Timestamp now = Timestamp::Seconds(1);
  // Every second packet is 5 ms, 40 ticks, late, so every difference is 40 ticks.
  int64_t scaled = 0;
  for (uint32_t i = 0; i < 500; ++i) {
    const TimeDelta late = i % 2 == 1 ? TimeDelta::Millis(5) : TimeDelta::Zero();
    statistics.OnPacket(now + late, Packet(static_cast<uint16_t>(i), i * kTicksPerPacket),
                        kClockRate);
    if (i > 0) {
      scaled += 40 - ((scaled + 8) >> 4);
    }
    now += kPacketTime;
  }
  EXPECT_EQ(Received(statistics).jitter, TimeDelta::Micros((scaled >> 4) * 125));
  EXPECT_GE(Received(statistics).jitter, TimeDelta::Millis(4));
  EXPECT_LE(Received(statistics).jitter, TimeDelta::Millis(5));
}

TEST(StreamStatisticsTest, AnotherClockRateKeepsTheJitterAsTime) {
  StreamStatistics statistics;
  Timestamp now = Timestamp::Seconds(1);
  for (uint32_t i = 0; i < 400; ++i) {
    const TimeDelta late = i % 2 == 1 ? TimeDelta::Millis(10) : TimeDelta::Zero();
    statistics.OnPacket(now + late, Packet(static_cast<uint16_t>(i), i * kTicksPerPacket),
                        kClockRate);
    now += kPacketTime;
  }
  const TimeDelta before = Received(statistics).jitter;
  ASSERT_GE(before, TimeDelta::Millis(9));
  statistics.OnPacket(now, Packet(400, 12345), 48'000);
  const TimeDelta after = Received(statistics).jitter;
  EXPECT_LE(after - before, TimeDelta::Millis(1));
  EXPECT_GE(after - before, -TimeDelta::Millis(1));
}

TEST(StreamStatisticsTest, ASenderThatRestartsItsClockIsCutAndForgotten) {
  Timestamp now = Timestamp::Seconds(1);
  StreamStatistics statistics = SteadyStream(0, 100, now);
  // The worst difference there is, after a year of silence.
  now += TimeDelta::Seconds(365LL * 86400);
  statistics.OnPacket(now, Packet(100, 0x80000000u), kClockRate);
  EXPECT_LE(Received(statistics).jitter, TimeDelta::Seconds(60));
  for (uint32_t i = 1; i < 500; ++i) {
    now += kPacketTime;
    statistics.OnPacket(
        now, Packet(static_cast<uint16_t>(100 + i), 0x80000000u + i * kTicksPerPacket), kClockRate);
  }
  EXPECT_LE(Received(statistics).jitter, TimeDelta::Millis(2));
}

TEST(StreamStatisticsTest, ANewSequenceIsANewTimeBase) {
  Timestamp now = Timestamp::Seconds(1);
  StreamStatistics statistics = SteadyStream(0, 100, now);
  statistics.OnPacket(now, Packet(40'000, 99 * kTicksPerPacket + kTicksPerPacket), kClockRate);
  now += kPacketTime;
  statistics.OnPacket(now, Packet(40'001, 0xCAFE0000), kClockRate);
  EXPECT_EQ(Received(statistics).jitter, TimeDelta::Zero());
}

TEST(StreamStatisticsTest, ExtremeClockRatesDoNotOverflow) {
  StreamStatistics statistics;
  Timestamp now = Timestamp::Seconds(1);
  for (uint32_t i = 0; i < 1'000; ++i) {
    now += TimeDelta::Seconds(40'000);
    statistics.OnPacket(now, Packet(static_cast<uint16_t>(i), i * 0x40000001u),
                        i % 3 == 0 ? 1 : 1'000'000);
    const StreamSnapshot snapshot = Received(statistics);
    ASSERT_GE(snapshot.jitter, TimeDelta::Zero());
    ASSERT_LE(snapshot.jitter, TimeDelta::Seconds(61));
  }
}

}  // namespace
}  // namespace sluice

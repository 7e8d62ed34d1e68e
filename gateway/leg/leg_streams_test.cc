#include "gateway/leg/leg_streams.h"

#include <vector>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/rtp_summary.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

RtpSummary Packet(uint32_t ssrc, uint16_t sequence) {
  return {.ssrc = Ssrc(ssrc),
          .sequence = SequenceNumber(sequence),
          .timestamp = RtpTimestamp(0),
          .payload_type = PayloadType(0),
          .payload_bytes = 160};
}

std::vector<StreamSnapshot> Snapshots(const LegStreams& table) {
  std::vector<StreamSnapshot> snapshots;
  table.AppendTo(snapshots);
  return snapshots;
}

TEST(LegStreamsTest, CountsEachSsrcForItself) {
  LegStreams table(4, StreamDirection::kSent);
  const Timestamp now = Timestamp::Seconds(1);
  EXPECT_TRUE(table.OnPacket(now, Packet(1, 10), 8'000));
  EXPECT_TRUE(table.OnPacket(now, Packet(2, 20), 8'000));
  EXPECT_FALSE(table.OnPacket(now, Packet(1, 11), 8'000));
  const std::vector<StreamSnapshot> streams = Snapshots(table);
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[0].ssrc, Ssrc(1));
  EXPECT_EQ(streams[0].packets, 2u);
  EXPECT_EQ(streams[0].payload_bytes, 320u);
  EXPECT_EQ(streams[0].extended_highest_sequence, 11u);
  EXPECT_EQ(streams[0].direction, StreamDirection::kSent);
  EXPECT_EQ(streams[1].ssrc, Ssrc(2));
  EXPECT_EQ(streams[1].packets, 1u);
}

TEST(LegStreamsTest, AReplacedStreamBeginsFromNothing) {
  LegStreams table(1, StreamDirection::kReceived);
  table.OnPacket(Timestamp::Seconds(1), Packet(1, 10), 8'000);
  table.OnPacket(Timestamp::Seconds(1), Packet(1, 20), 8'000);
  table.OnPacket(Timestamp::Seconds(2), Packet(2, 500), 8'000);
  const std::vector<StreamSnapshot> streams = Snapshots(table);
  ASSERT_EQ(streams.size(), 1u);
  EXPECT_EQ(streams[0].ssrc, Ssrc(2));
  EXPECT_EQ(streams[0].packets, 1u);
  EXPECT_EQ(streams[0].packets_lost, 0);
}

TEST(LegStreamsTest, ASenderThatDrawsAnSsrcPerPacketCausesNoFloodOfEvents) {
  constexpr size_t kMaxStreams = 8;
  LegStreams table(kMaxStreams, StreamDirection::kReceived);
  size_t events = 0;
  Timestamp now = Timestamp::Seconds(100);
  // 5 seconds at 200 packets a second.
  for (uint32_t ssrc = 0; ssrc < 1'000; ++ssrc) {
    events += table.OnPacket(now, Packet(ssrc, 0), 8'000) ? 1 : 0;
    now += TimeDelta::Millis(5);
  }
  EXPECT_EQ(events, kMaxStreams);
  EXPECT_EQ(table.size(), kMaxStreams);
}

TEST(LegStreamsTest, AStreamThatReplacesOneLongSilentIsNews) {
  LegStreams table(1, StreamDirection::kReceived);
  const Timestamp start = Timestamp::Seconds(100);
  EXPECT_TRUE(table.OnPacket(start, Packet(1, 0), 8'000));
  EXPECT_FALSE(table.OnPacket(start + LegStreams::kQuietBeforeReplaced - TimeDelta::Micros(1),
                              Packet(2, 0), 8'000));
  EXPECT_TRUE(table.OnPacket(start + 2 * LegStreams::kQuietBeforeReplaced, Packet(3, 0), 8'000));
}

}  // namespace
}  // namespace sluice

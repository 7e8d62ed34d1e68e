#include "interceptor/report/media_clock.h"

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr uint32_t kClock = 90000;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

// What a report at `ms` would say.
uint32_t At(const MediaClock& clock, int64_t ms) {
  const std::optional<RtpTimestamp> timestamp = clock.At(Ms(ms));
  EXPECT_TRUE(timestamp.has_value());
  return timestamp.value_or(RtpTimestamp(0)).value();
}

TEST(MediaClockTest, SaysNothingBeforeTheFirstPacket) {
  EXPECT_EQ(MediaClock().At(Ms(100)), std::nullopt);
}

TEST(MediaClockTest, RunsOnFromTheNewestPacket) {
  MediaClock clock;
  clock.OnPacket(Ms(1000), SequenceNumber(5), RtpTimestamp(1234), kClock);
  EXPECT_EQ(At(clock, 1000), 1234u);
  EXPECT_EQ(At(clock, 1100), 1234u + 9000);
  clock.OnPacket(Ms(1040), SequenceNumber(6), RtpTimestamp(1234 + 3000), kClock);
  EXPECT_EQ(At(clock, 1100), 1234u + 3000 + 5400);
}

TEST(MediaClockTest, WrapsLikeTheTimestamps) {
  MediaClock clock;
  clock.OnPacket(Ms(0), SequenceNumber(0xFFFF), RtpTimestamp(0xFFFFFF00), kClock);
  EXPECT_EQ(At(clock, 100), 0xFFFFFF00u + 9000);
  clock.OnPacket(Ms(10), SequenceNumber(0), RtpTimestamp(900 - 256), kClock);
  EXPECT_EQ(At(clock, 10), 900u - 256);
}

TEST(MediaClockTest, LaterPacketsOfAFrameDoNotMoveIt) {
  MediaClock clock;
  clock.OnPacket(Ms(0), SequenceNumber(1), RtpTimestamp(500), kClock);
  clock.OnPacket(Ms(30), SequenceNumber(2), RtpTimestamp(500), kClock);
  EXPECT_EQ(At(clock, 30), 500u + 2700);
}

TEST(MediaClockTest, ReorderedAndRepeatedPacketsDoNotMoveIt) {
  MediaClock clock;
  clock.OnPacket(Ms(0), SequenceNumber(100), RtpTimestamp(90000), kClock);
  clock.OnPacket(Ms(50), SequenceNumber(99), RtpTimestamp(87000), kClock);
  clock.OnPacket(Ms(50), SequenceNumber(100), RtpTimestamp(1), kClock);
  EXPECT_EQ(At(clock, 50), 90000u + 4500);
}

TEST(MediaClockTest, ASourceThatBeginsAnewIsFollowed) {
  MediaClock clock;
  clock.OnPacket(Ms(0), SequenceNumber(30000), RtpTimestamp(90000), kClock);
  clock.OnPacket(Ms(50), SequenceNumber(7), RtpTimestamp(5), 48000);
  EXPECT_EQ(At(clock, 150), 5u + 4800);
}

}  // namespace
}  // namespace sluice

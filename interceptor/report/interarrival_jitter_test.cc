#include "interceptor/report/interarrival_jitter.h"

#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr uint32_t kVideoClock = 90000;
constexpr uint32_t kAudioClock = 48000;

// RFC 3550 appendix A.8 with the numbers as wide as they need be.
class Reference {
 public:
  void Update(int64_t arrival_us, uint32_t timestamp, uint32_t clock_rate) {
    const auto arrival = static_cast<uint32_t>(arrival_us / 1'000'000 * clock_rate +
                                               arrival_us % 1'000'000 * clock_rate / 1'000'000);
    const auto transit = static_cast<int32_t>(arrival - timestamp);
    if (first_) {
      first_ = false;
      transit_ = transit;
      return;
    }
    const int64_t d = std::abs(int64_t{
        static_cast<int32_t>(static_cast<uint32_t>(transit) - static_cast<uint32_t>(transit_))});
    transit_ = transit;
    scaled_ += d - ((scaled_ + 8) >> 4);
  }
  uint32_t jitter() const { return static_cast<uint32_t>(scaled_ >> 4); }

 private:
  bool first_ = true;
  int32_t transit_ = 0;
  int64_t scaled_ = 0;
};

TEST(InterarrivalJitterTest, APaceThatIsKeptHasNone) {
  InterarrivalJitter jitter;
  EXPECT_EQ(jitter.duration(), TimeDelta::Zero());
  for (int64_t i = 0; i < 100; ++i) {
    jitter.Update(Timestamp::Millis(20 * i), RtpTimestamp(static_cast<uint32_t>(960 * i)),
                  kAudioClock);
    EXPECT_EQ(jitter.jitter(), 0u);
  }
}

TEST(InterarrivalJitterTest, ASixteenthOfEachDifferenceCounts) {
  InterarrivalJitter jitter;
  jitter.Update(Timestamp::Zero(), RtpTimestamp(0), kAudioClock);
  // 10 ms late: 480 units.
  jitter.Update(Timestamp::Millis(30), RtpTimestamp(960), kAudioClock);
  EXPECT_EQ(jitter.jitter(), 30u);
  EXPECT_EQ(jitter.duration(), TimeDelta::Micros(625));
}

TEST(InterarrivalJitterTest, EarlyCountsAsLate) {
  InterarrivalJitter early, late;
  for (InterarrivalJitter* jitter : {&early, &late}) {
    jitter->Update(Timestamp::Seconds(1), RtpTimestamp(0), kAudioClock);
  }
  early.Update(Timestamp::Millis(1010), RtpTimestamp(960), kAudioClock);
  late.Update(Timestamp::Millis(1030), RtpTimestamp(960), kAudioClock);
  EXPECT_EQ(early.jitter(), late.jitter());
  EXPECT_NE(early.jitter(), 0u);
}

TEST(InterarrivalJitterTest, ATimestampThatWrapsIsNoEvent) {
  InterarrivalJitter jitter;
  uint32_t timestamp = 0xFFFFFFFF - 2 * 960;
  for (int64_t i = 0; i < 10; ++i, timestamp += 960) {
    jitter.Update(Timestamp::Millis(20 * i), RtpTimestamp(timestamp), kAudioClock);
    EXPECT_EQ(jitter.jitter(), 0u) << i;
  }
}

TEST(InterarrivalJitterTest, ArrivalsThatWrapInTheUnitOfTheClockAreNoEvent) {
  InterarrivalJitter jitter;
  // 2^32 / 90000 s is a little over 13 hours.
  for (int64_t i = 0; i < 10; ++i) {
    jitter.Update(Timestamp::Seconds(47719 + i), RtpTimestamp(static_cast<uint32_t>(90000 * i)),
                  kVideoClock);
    EXPECT_EQ(jitter.jitter(), 0u) << i;
  }
}

TEST(InterarrivalJitterTest, AnotherClockBeginsAnotherMeasure) {
  InterarrivalJitter jitter;
  jitter.Update(Timestamp::Zero(), RtpTimestamp(0), kAudioClock);
  jitter.Update(Timestamp::Millis(30), RtpTimestamp(960), kAudioClock);
  ASSERT_EQ(jitter.duration(), TimeDelta::Micros(625));
  // Telephone events at 8000 Hz in between.
  jitter.Update(Timestamp::Millis(40), RtpTimestamp(123456), 8000);
  EXPECT_EQ(jitter.duration(), TimeDelta::Micros(625));
  EXPECT_EQ(jitter.jitter(), 5u);
}

TEST(InterarrivalJitterTest, AfterARestartTheFirstPacketIsComparedWithNone) {
  InterarrivalJitter jitter;
  jitter.Update(Timestamp::Zero(), RtpTimestamp(0), kAudioClock);
  jitter.Restart();
  jitter.Update(Timestamp::Millis(20), RtpTimestamp(0x40000000), kAudioClock);
  EXPECT_EQ(jitter.jitter(), 0u);
}

TEST(InterarrivalJitterTest, ABoundCutsWhatIsNoJitter) {
  InterarrivalJitter jitter(/*max_seconds=*/60);
  jitter.Update(Timestamp::Zero(), RtpTimestamp(0), 8000);
  jitter.Update(Timestamp::Zero(), RtpTimestamp(60 * 8000), 8000);
  const uint32_t longest = jitter.jitter();
  EXPECT_EQ(longest, 60u * 8000 / 16);
  InterarrivalJitter cut(/*max_seconds=*/60);
  cut.Update(Timestamp::Zero(), RtpTimestamp(0), 8000);
  cut.Update(Timestamp::Zero(), RtpTimestamp(0x80000000), 8000);
  EXPECT_EQ(cut.jitter(), longest);
}

TEST(InterarrivalJitterTest, TheWorstThatAPeerCanDoStaysInThirtyTwoBits) {
  InterarrivalJitter jitter;
  for (uint32_t i = 0; i < 1000; ++i) {
    jitter.Update(Timestamp::Zero(), RtpTimestamp(i % 2 == 0 ? 0 : 0x80000000), kVideoClock);
  }
  // Every difference is half of the range.
  EXPECT_NEAR(jitter.jitter(), 0x80000000, 16);
  InterarrivalJitter clocks;
  for (const uint32_t rate : {1u, 0xFFFFFFFFu, 1u, 0xFFFFFFFFu}) {
    clocks.Update(Timestamp::Zero(), RtpTimestamp(0), rate);
    clocks.Update(Timestamp::Zero(), RtpTimestamp(0x80000000), rate);
    clocks.Update(Timestamp::Zero(), RtpTimestamp(0), rate);
  }
  EXPECT_GE(clocks.duration(), TimeDelta::Zero());
}

TEST(InterarrivalJitterTest, IsWhatTheAppendixComputes) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3550);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (const uint32_t clock_rate : {8000u, kAudioClock, kVideoClock, 12345u}) {
    InterarrivalJitter jitter;
    Reference reference;
    int64_t us = 0;
    uint32_t timestamp = random.NextU32();
    for (int i = 0; i < 20000; ++i) {
      us += static_cast<int64_t>(random.Below(40'000));
      // Often by frame, sometimes anywhere.
      timestamp = random.Below(1000) == 0
                      ? random.NextU32()
                      : timestamp + clock_rate / 50 * static_cast<uint32_t>(random.Below(3));
      jitter.Update(Timestamp::Micros(us), RtpTimestamp(timestamp), clock_rate);
      reference.Update(us, timestamp, clock_rate);
      ASSERT_EQ(jitter.jitter(), reference.jitter()) << "packet " << i << " at " << clock_rate;
    }
  }
}

TEST(ClockTicksTest, AreExactForAnyTime) {
  EXPECT_EQ(ClockTicks(Timestamp::Millis(1500), kVideoClock), 135000u);
  EXPECT_EQ(ClockTicks(Timestamp::Micros(-1), kVideoClock), 0xFFFFFFFFu);
  EXPECT_EQ(ClockTicks(Timestamp::Seconds(-1), 1), 0xFFFFFFFFu);
  // A year: 365 * 86400 * 90000 modulo 2^32.
  EXPECT_EQ(ClockTicks(Timestamp::Seconds(31'536'000), kVideoClock),
            static_cast<uint32_t>(uint64_t{31'536'000} * 90000));
}

}  // namespace
}  // namespace sluice

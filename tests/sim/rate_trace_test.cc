#include "tests/sim/rate_trace.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace sluice {
namespace {

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

// Ten seconds, a sample each 100 ms: the first half at 800 kbit/s with a queue that goes from 0 to
// 90 ms in every second, the second half at 400 kbit/s with a queue of 20 ms.
RateTrace Trace() {
  RateTrace trace;
  DataSize received = DataSize::Zero();
  for (int64_t i = 0; i <= 100; ++i) {
    const bool first = i < 50;
    trace.Add({.at = Ms(100 * i),
               .queue = TimeDelta::Millis(first ? 10 * (i % 10) : 20),
               .targets = {DataRate::KilobitsPerSec(first ? 800 : 400)},
               .received = {received}});
    received += DataSize::Bytes(first ? 10'000 : 5'000);
  }
  return trace;
}

TEST(RateTraceTest, RatesAreThoseOfTheInterval) {
  const RateTrace trace = Trace();
  EXPECT_EQ(trace.Received(0, Ms(0), Ms(5000)), DataRate::KilobitsPerSec(800));
  EXPECT_EQ(trace.Received(0, Ms(5000), Ms(10'000)), DataRate::KilobitsPerSec(400));
  EXPECT_EQ(trace.Received(0, Ms(4000), Ms(6000)), DataRate::KilobitsPerSec(600));
}

TEST(RateTraceTest, MomentsAreTheFirstOnes) {
  const RateTrace trace = Trace();
  EXPECT_EQ(trace.ReceivedAtLeast(0, DataRate::KilobitsPerSec(800), Ms(2000)), Ms(3000));
  EXPECT_EQ(trace.ReceivedAtLeast(0, DataRate::KilobitsPerSec(900), Ms(0)), std::nullopt);
  EXPECT_EQ(trace.TargetAtMost(0, DataRate::KilobitsPerSec(400), Ms(0)), Ms(5000));
  EXPECT_EQ(trace.TargetAtMost(0, DataRate::KilobitsPerSec(300), Ms(0)), std::nullopt);
  EXPECT_EQ(trace.HighestTarget(0, Ms(4900)), DataRate::KilobitsPerSec(800));
  EXPECT_EQ(trace.HighestTarget(0, Ms(5000)), DataRate::KilobitsPerSec(400));
  EXPECT_EQ(trace.QueueAtMost(TimeDelta::Millis(10), Ms(1200)), Ms(2000));
}

TEST(RateTraceTest, QueuesAreThoseOfTheInterval) {
  const RateTrace trace = Trace();
  EXPECT_EQ(trace.MeanQueue(Ms(0), Ms(5000)), TimeDelta::Millis(45));
  EXPECT_EQ(trace.QueuePercentile(95, Ms(0), Ms(5000)), TimeDelta::Millis(90));
  EXPECT_EQ(trace.QueuePercentile(50, Ms(0), Ms(5000)), TimeDelta::Millis(40));
  EXPECT_EQ(trace.StandingQueue(Ms(0), Ms(5000)), TimeDelta::Zero());
  EXPECT_EQ(trace.StandingQueue(Ms(0), Ms(10'000)), TimeDelta::Millis(20));
}

}  // namespace
}  // namespace sluice

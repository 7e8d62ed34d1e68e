#include "base/testing/fake_clock.h"

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(FakeClockTest, MovesOnlyWhenTold) {
  FakeClock clock;
  const Timestamp start = clock.now();
  EXPECT_GT(start, Timestamp::Zero());
  EXPECT_EQ(clock.now(), start);
  clock.Advance(TimeDelta::Millis(20));
  clock.Advance(TimeDelta::Zero());
  EXPECT_EQ(clock.now() - start, TimeDelta::Millis(20));
}

TEST(FakeClockTest, BeginsWhereItIsTold) {
  EXPECT_EQ(FakeClock(Timestamp::Seconds(5)).now(), Timestamp::Seconds(5));
}

TEST(FakeClockDeathTest, DoesNotGoBack) {
  FakeClock clock;
  EXPECT_DEATH(clock.Advance(TimeDelta::Micros(-1)), "step >= ");
}

}  // namespace
}  // namespace sluice

#include "gateway/io/steady_clock.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(SteadyClockTest, NeverGoesBackAndDoesGoOn) {
  const Timestamp start = SteadyClock::Now();
  Timestamp last = start;
  while (last == start) {
    const Timestamp now = SteadyClock::Now();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(last, start);
}

TEST(SteadyClockTest, IsAFiniteTime) { EXPECT_TRUE(SteadyClock::Now().IsFinite()); }

}  // namespace
}  // namespace sluice

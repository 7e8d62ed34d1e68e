#include "quic/io/monotonic_clock.h"

#include "base/timestamp.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(MonotonicClockTest, NeverGoesBackAndDoesGoOn) {
  const Timestamp start = MonotonicNow();
  ASSERT_TRUE(start.IsFinite());
  Timestamp last = start;
  while (last == start) {
    const Timestamp now = MonotonicNow();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace sluice

#include "gateway/io/wall_clock.h"

#include <time.h>

#include <cstdint>

#include "base/timestamp.h"
#include "gateway/io/steady_clock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(WallClockTest, OriginAndSteadyClockTogetherAreTheTimeOfDay) {
  const uint64_t now_s =
      (NtpOrigin() >> 32) + static_cast<uint64_t>(SteadyClock::Now().us()) / 1'000'000;
  const uint64_t unix_s = static_cast<uint64_t>(time(nullptr));
  // 70 years with 17 leap days; a second for the fractions and one for the time between.
  const uint64_t expected = unix_s + (70 * 365 + 17) * uint64_t{86'400};
  EXPECT_GE(now_s + 2, expected);
  EXPECT_LE(now_s, expected + 2);
}

TEST(WallClockTest, TheOriginStays) { EXPECT_EQ(NtpOrigin(), NtpOrigin()); }

TEST(WallClockTest, BothFormsAreTheSameInstant) {
  const int64_t unix_s = UnixOrigin().us() / 1'000'000;
  EXPECT_EQ(NtpOrigin() >> 32, static_cast<uint64_t>(unix_s) + 2'208'988'800);
}

}  // namespace
}  // namespace sluice

#include "interceptor/report/ntp_time.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(NtpTimeTest, TheOriginIsTheTimeOfZero) {
  EXPECT_EQ(NtpClock(0x1234567890ABCDEF).At(Timestamp::Zero()), 0x1234567890ABCDEFu);
}

TEST(NtpTimeTest, SecondsAreInTheUpperHalfAndFractionsInTheLower) {
  const NtpClock clock(0);
  EXPECT_EQ(clock.At(Timestamp::Seconds(1)), 0x00000001'00000000u);
  EXPECT_EQ(clock.At(Timestamp::Millis(1500)), 0x00000001'80000000u);
  EXPECT_EQ(clock.At(Timestamp::Millis(250)), 0x40000000u);
  // 2^32 / 10^6, truncated.
  EXPECT_EQ(clock.At(Timestamp::Micros(1)), 4294u);
  EXPECT_EQ(clock.At(Timestamp::Micros(999'999)), 4294963001u);
}

TEST(NtpTimeTest, TimesBeforeTheOriginAreBeforeIt) {
  const NtpClock clock(uint64_t{10} << 32);
  EXPECT_EQ(clock.At(Timestamp::Millis(-500)), 0x00000009'80000000u);
  EXPECT_EQ(clock.At(Timestamp::Seconds(-2)), uint64_t{8} << 32);
}

TEST(NtpTimeTest, TheEraEndsWithoutAJump) {
  const NtpClock clock(0xFFFFFFFF'00000000);
  EXPECT_EQ(clock.At(Timestamp::Seconds(1)), 0u);
  EXPECT_EQ(clock.At(Timestamp::Millis(1500)), 0x80000000u);
}

TEST(NtpTimeTest, TheMiddleNamesAReport) {
  EXPECT_EQ(CompactNtp(0xB44D'B705'2000'0000), 0xB705'2000u);
}

TEST(NtpTimeTest, DelaysAreIn65536thsOfASecond) {
  // The example of RFC 3550 section 6.4.1, figure 2: 5.250 s.
  EXPECT_EQ(ToCompactDelay(TimeDelta::Millis(5250)), 0x0005'4000u);
  EXPECT_EQ(FromCompactDelay(0x0005'4000), TimeDelta::Millis(5250));
  EXPECT_EQ(ToCompactDelay(TimeDelta::Seconds(1)), 65536u);
  EXPECT_EQ(ToCompactDelay(TimeDelta::Micros(15)), 0u);
  EXPECT_EQ(ToCompactDelay(TimeDelta::Micros(16)), 1u);
}

TEST(NtpTimeTest, DelaysThatCannotBeSaidAreTheNearest) {
  EXPECT_EQ(ToCompactDelay(TimeDelta::Micros(-1)), 0u);
  EXPECT_EQ(ToCompactDelay(TimeDelta::MinusInfinity()), 0u);
  EXPECT_EQ(ToCompactDelay(TimeDelta::Seconds(65536)), 0xFFFFFFFFu);
  EXPECT_EQ(ToCompactDelay(TimeDelta::PlusInfinity()), 0xFFFFFFFFu);
}

TEST(NtpTimeTest, ADelayComesBackToTheUnit) {
  for (const uint32_t delay : {0u, 1u, 2u, 65535u, 65536u, 0x12345678u, 0xFFFFFFFFu}) {
    // Truncated twice: at most one unit less.
    const uint32_t back = ToCompactDelay(FromCompactDelay(delay));
    EXPECT_LE(back, delay);
    EXPECT_LE(delay - back, 1u) << delay;
  }
}

}  // namespace
}  // namespace sluice

#include "interceptor/twcc/reference_time.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr TimeDelta kUnit = TimeDelta::Millis(64);

TEST(ReferenceTimeTest, CountsInUnitsOf64Milliseconds) {
  ReferenceTime time;
  EXPECT_EQ(time.Unwrap(10), Timestamp::Millis(640));
  EXPECT_EQ(time.Unwrap(12), Timestamp::Millis(768));
  EXPECT_EQ(time.Unwrap(11), Timestamp::Millis(704)) << "feedback may overtake feedback";
}

TEST(ReferenceTimeTest, GoesOnWhereTheNumberWraps) {
  ReferenceTime time;
  const Timestamp before = time.Unwrap(0xFFFFFF);
  EXPECT_EQ(time.Unwrap(0) - before, kUnit);
  EXPECT_EQ(time.Unwrap(0xFFFFFE) - before, -kUnit);
  EXPECT_EQ(time.Unwrap(1) - before, 2 * kUnit);
}

// What a signed reading calls -8388608, the step from 0x7FFFFF to 0x800000.
TEST(ReferenceTimeTest, TheSignBitIsABitLikeOthers) {
  ReferenceTime time;
  const Timestamp before = time.Unwrap(0x7FFFFF);
  EXPECT_EQ(time.Unwrap(0x800000) - before, kUnit);
  EXPECT_EQ(time.Unwrap(0x7FFFFF), before);
}

TEST(ReferenceTimeTest, NeverStopsOverManyWraps) {
  ReferenceTime time;
  Timestamp last = time.Unwrap(0);
  for (uint32_t i = 1; i < 100; ++i) {
    const Timestamp next = time.Unwrap((i * 0x7FFFFE) & 0xFFFFFF);
    ASSERT_EQ(next - last, kUnit * 0x7FFFFE);
    last = next;
  }
}

}  // namespace
}  // namespace sluice

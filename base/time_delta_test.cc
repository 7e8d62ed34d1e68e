#include "base/time_delta.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(TimeDeltaTest, IsOneNumberThatMustBeGiven) {
  static_assert(!std::is_default_constructible_v<TimeDelta>);
  static_assert(!std::is_convertible_v<int64_t, TimeDelta>);
  static_assert(sizeof(TimeDelta) == sizeof(int64_t));
  static_assert(std::is_trivially_copyable_v<TimeDelta>);
}

TEST(TimeDeltaTest, UnitsAgree) {
  EXPECT_EQ(TimeDelta::Millis(1), TimeDelta::Micros(1'000));
  EXPECT_EQ(TimeDelta::Seconds(1), TimeDelta::Millis(1'000));
  EXPECT_EQ(TimeDelta::Minutes(1), TimeDelta::Seconds(60));
  EXPECT_EQ(TimeDelta::Zero(), TimeDelta::Micros(0));
  EXPECT_TRUE(TimeDelta::Zero().IsZero());
  EXPECT_FALSE(TimeDelta::Micros(1).IsZero());
}

TEST(TimeDeltaTest, CoarserUnitsTruncateTowardsZero) {
  EXPECT_EQ(TimeDelta::Micros(1'999'999).us(), 1'999'999);
  EXPECT_EQ(TimeDelta::Micros(1'999'999).ms(), 1'999);
  EXPECT_EQ(TimeDelta::Micros(1'999'999).seconds(), 1);
  EXPECT_EQ(TimeDelta::Micros(-1'999'999).ms(), -1'999);
  EXPECT_EQ(TimeDelta::Micros(-1'999'999).seconds(), -1);
}

TEST(TimeDeltaTest, InfinityIsInfiniteInEveryUnit) {
  EXPECT_FALSE(TimeDelta::PlusInfinity().IsFinite());
  EXPECT_FALSE(TimeDelta::MinusInfinity().IsFinite());
  EXPECT_TRUE(TimeDelta::Micros(kMax - 1).IsFinite());
  EXPECT_EQ(TimeDelta::PlusInfinity().us(), kMax);
  EXPECT_EQ(TimeDelta::PlusInfinity().ms(), kMax);
  EXPECT_EQ(TimeDelta::MinusInfinity().seconds(), kMin);
}

TEST(TimeDeltaTest, FactoriesSaturate) {
  EXPECT_EQ(TimeDelta::Millis(kMax), TimeDelta::PlusInfinity());
  EXPECT_EQ(TimeDelta::Seconds(kMax / 1'000), TimeDelta::PlusInfinity());
  EXPECT_EQ(TimeDelta::Minutes(kMin), TimeDelta::MinusInfinity());
  EXPECT_TRUE(TimeDelta::Millis(kMax / 1'000).IsFinite());
}

TEST(TimeDeltaTest, IsOrdered) {
  static_assert(TimeDelta::Millis(-1) < TimeDelta::Zero());
  static_assert(TimeDelta::MinusInfinity() < TimeDelta::Micros(kMin + 1));
  static_assert(TimeDelta::PlusInfinity() > TimeDelta::Micros(kMax - 1));
  static_assert(TimeDelta::PlusInfinity() <= TimeDelta::PlusInfinity());
  static_assert(TimeDelta::Millis(1) >= TimeDelta::Micros(1'000));
  static_assert(TimeDelta::Millis(1) != TimeDelta::Micros(1'001));
}

TEST(TimeDeltaTest, Arithmetic) {
  const TimeDelta rtt = TimeDelta::Millis(40);
  EXPECT_EQ(rtt + TimeDelta::Millis(2), TimeDelta::Millis(42));
  EXPECT_EQ(rtt - TimeDelta::Millis(50), TimeDelta::Millis(-10));
  EXPECT_EQ(-rtt, TimeDelta::Millis(-40));
  EXPECT_EQ(rtt * 3, TimeDelta::Millis(120));
  EXPECT_EQ(3 * rtt, TimeDelta::Millis(120));
  EXPECT_EQ(rtt / 3, TimeDelta::Micros(13'333));
  EXPECT_EQ(TimeDelta::Millis(100) / rtt, 2);
  TimeDelta sum = TimeDelta::Zero();
  sum += rtt;
  sum += rtt;
  sum -= TimeDelta::Millis(1);
  EXPECT_EQ(sum, TimeDelta::Millis(79));
}

TEST(TimeDeltaTest, ArithmeticSaturates) {
  const TimeDelta most = TimeDelta::Micros(kMax - 1);
  EXPECT_EQ(most + TimeDelta::Micros(1), TimeDelta::PlusInfinity());
  EXPECT_EQ(-most - most, TimeDelta::MinusInfinity());
  EXPECT_EQ(most * -2, TimeDelta::MinusInfinity());
  EXPECT_EQ(TimeDelta::PlusInfinity() - most, TimeDelta::PlusInfinity());
  EXPECT_EQ(-TimeDelta::PlusInfinity(), TimeDelta::MinusInfinity());
  EXPECT_EQ(TimeDelta::PlusInfinity() / 2, TimeDelta::PlusInfinity());
  EXPECT_EQ(TimeDelta::Millis(1) / TimeDelta::PlusInfinity(), 0);
  EXPECT_EQ(TimeDelta::Millis(1) / TimeDelta::Zero(), kMax);
  EXPECT_EQ(TimeDelta::Millis(-1) / int64_t{0}, TimeDelta::MinusInfinity());
}

TEST(TimeDeltaTest, PrintsInTheLargestExactUnit) {
  EXPECT_EQ(absl::StrCat(TimeDelta::Seconds(3)), "3 s");
  EXPECT_EQ(absl::StrCat(TimeDelta::Millis(-20)), "-20 ms");
  EXPECT_EQ(absl::StrCat(TimeDelta::Micros(1'500)), "1500 us");
  EXPECT_EQ(absl::StrCat(TimeDelta::Zero()), "0 s");
  EXPECT_EQ(absl::StrCat(TimeDelta::PlusInfinity()), "+inf");
  EXPECT_EQ(absl::StrCat(TimeDelta::MinusInfinity()), "-inf");
}

}  // namespace
}  // namespace sluice

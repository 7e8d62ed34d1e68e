#include "base/timestamp.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

template <typename A, typename B>
concept HasPlus = requires(A a, B b) {
  a + b;
};

TEST(TimestampTest, IsAPointAndNotALength) {
  static_assert(!std::is_default_constructible_v<Timestamp>);
  static_assert(!std::is_convertible_v<TimeDelta, Timestamp>);
  static_assert(!HasPlus<Timestamp, Timestamp>);
  static_assert(sizeof(Timestamp) == sizeof(int64_t));
}

TEST(TimestampTest, UnitsAgree) {
  EXPECT_EQ(Timestamp::Seconds(2), Timestamp::Millis(2'000));
  EXPECT_EQ(Timestamp::Millis(2), Timestamp::Micros(2'000));
  EXPECT_EQ(Timestamp::Zero().us(), 0);
  EXPECT_EQ(Timestamp::Millis(2).us(), 2'000);
}

TEST(TimestampTest, DifferencesAreLengths) {
  const Timestamp start = Timestamp::Seconds(10);
  const Timestamp end = start + TimeDelta::Millis(250);
  EXPECT_EQ(end - start, TimeDelta::Millis(250));
  EXPECT_EQ(start - end, TimeDelta::Millis(-250));
  EXPECT_EQ(end - TimeDelta::Millis(250), start);
  EXPECT_EQ(TimeDelta::Millis(250) + start, end);
  Timestamp moving = start;
  moving += TimeDelta::Seconds(2);
  moving -= TimeDelta::Seconds(1);
  EXPECT_EQ(moving, Timestamp::Seconds(11));
}

TEST(TimestampTest, NeverIsLaterThanEverything) {
  static_assert(Timestamp::Micros(kMax - 1) < Timestamp::PlusInfinity());
  static_assert(Timestamp::MinusInfinity() < Timestamp::Micros(-kMax));
  EXPECT_EQ(std::min(Timestamp::PlusInfinity(), Timestamp::Seconds(5)), Timestamp::Seconds(5));
  EXPECT_FALSE(Timestamp::PlusInfinity().IsFinite());
}

TEST(TimestampTest, NeverStaysNever) {
  const Timestamp now = Timestamp::Seconds(10);
  EXPECT_EQ(Timestamp::PlusInfinity() - now, TimeDelta::PlusInfinity());
  EXPECT_EQ(now - Timestamp::PlusInfinity(), TimeDelta::MinusInfinity());
  EXPECT_EQ(now - Timestamp::MinusInfinity(), TimeDelta::PlusInfinity());
  EXPECT_EQ(now + TimeDelta::PlusInfinity(), Timestamp::PlusInfinity());
  EXPECT_EQ(now - TimeDelta::PlusInfinity(), Timestamp::MinusInfinity());
  EXPECT_EQ(Timestamp::PlusInfinity() - TimeDelta::Seconds(1), Timestamp::PlusInfinity());
}

TEST(TimestampTest, Saturates) {
  EXPECT_EQ(Timestamp::Seconds(kMax), Timestamp::PlusInfinity());
  EXPECT_EQ(Timestamp::Millis(-kMax), Timestamp::MinusInfinity());
  EXPECT_EQ(Timestamp::Micros(kMax - 1) + TimeDelta::Micros(1), Timestamp::PlusInfinity());
  EXPECT_EQ(Timestamp::Micros(kMax - 1) - Timestamp::Micros(-1), TimeDelta::PlusInfinity());
}

TEST(TimestampTest, Prints) {
  EXPECT_EQ(absl::StrCat(Timestamp::Millis(1'234)), "1234 ms");
  EXPECT_EQ(absl::StrCat(Timestamp::PlusInfinity()), "+inf");
}

}  // namespace
}  // namespace sluice

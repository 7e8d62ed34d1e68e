#include "interceptor/bwe/delay_trend.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using enum PathUsage;

// A group every 10 ms; what the path does to each is the test's.
struct Path {
  PathUsage Group(TimeDelta queue_growth) {
    const TimeDelta sent = TimeDelta::Millis(10);
    const TimeDelta arrived = sent + queue_growth;
    now += arrived;
    return trend.Update({sent, arrived}, now);
  }
  // Groups until the usage is `wanted`, at most `limit`.
  int GroupsUntil(PathUsage wanted, TimeDelta queue_growth, int limit = 1000) {
    for (int i = 1; i <= limit; ++i) {
      if (Group(queue_growth) == wanted) {
        return i;
      }
    }
    return -1;
  }

  Timestamp now = Timestamp::Seconds(100);
  DelayTrend trend;
};

TEST(DelayTrendTest, ASteadyPathIsNormal) {
  Path path;
  EXPECT_EQ(path.GroupsUntil(kOverusing, TimeDelta::Zero()), -1);
  EXPECT_EQ(path.trend.usage(), kNormal);
  EXPECT_DOUBLE_EQ(path.trend.offset_ms(), 0);
}

TEST(DelayTrendTest, AGrowingQueueIsOveruse) {
  Path path;
  path.GroupsUntil(kOverusing, TimeDelta::Zero(), 100);
  // A tenth more than the path carries.
  const int groups = path.GroupsUntil(kOverusing, TimeDelta::Millis(1));
  EXPECT_GE(groups, 2);
  EXPECT_LE(groups, 30);
}

TEST(DelayTrendTest, ADrainingQueueIsUnderuse) {
  Path path;
  path.GroupsUntil(kOverusing, TimeDelta::Zero(), 100);
  const int groups = path.GroupsUntil(kUnderusing, TimeDelta::Millis(-1));
  EXPECT_GE(groups, 2);
  EXPECT_LE(groups, 30);
}

TEST(DelayTrendTest, AQueueThatStandsIsNormalAgain) {
  Path path;
  path.GroupsUntil(kOverusing, TimeDelta::Zero(), 100);
  ASSERT_GT(path.GroupsUntil(kOverusing, TimeDelta::Millis(1)), 0);
  const int groups = path.GroupsUntil(kNormal, TimeDelta::Zero());
  EXPECT_GE(groups, 1);
  EXPECT_LE(groups, 80);
}

TEST(DelayTrendTest, OneSpikeIsNoOveruse) {
  Path path;
  path.GroupsUntil(kOverusing, TimeDelta::Zero(), 100);
  EXPECT_NE(path.Group(TimeDelta::Millis(4)), kOverusing);
  EXPECT_NE(path.Group(TimeDelta::Millis(-4)), kOverusing);
  EXPECT_EQ(path.GroupsUntil(kOverusing, TimeDelta::Zero(), 50), -1);
}

TEST(DelayTrendTest, JitterWithoutTrendIsNormal) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(2);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  Path path;
  // Each group is late by up to 2 ms, on its own.
  int64_t late = 0;
  int overuses = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto next = static_cast<int64_t>(random.Below(2000));
    overuses += path.Group(TimeDelta::Micros(next - late)) == kOverusing;
    late = next;
  }
  EXPECT_LE(overuses, 30) << "of 3000";
}

TEST(DelayTrendTest, TheThresholdLearnsWhatIsUsualAndForgets) {
  Path path;
  path.GroupsUntil(kOverusing, TimeDelta::Zero(), 400);
  const double steady = path.trend.threshold_ms();
  EXPECT_LT(steady, 7);
  EXPECT_GE(steady, 6);
  // Slow waves of up to 28 ms, as another flow's queue makes them.
  double highest = 0;
  const auto wave = [&] {
    int overuses = 0;
    for (int i = 0; i < 80; ++i) {
      const TimeDelta growth = TimeDelta::Micros(i < 40 ? 700 : -700);
      overuses += path.Group(growth) == kOverusing;
      highest = std::max(highest, path.trend.threshold_ms());
    }
    return overuses;
  };
  const int first = wave();
  int later = 0;
  for (int i = 0; i < 10; ++i) {
    later += wave();
  }
  EXPECT_GT(highest, 1.5 * steady);
  EXPECT_LT(later, 10 * first);
  path.GroupsUntil(kOverusing, TimeDelta::Zero(), 400);
  EXPECT_LT(path.trend.threshold_ms(), 7);
}

TEST(DelayTrendTest, ResetForgetsEverything) {
  Path path;
  ASSERT_GT(path.GroupsUntil(kOverusing, TimeDelta::Millis(1)), 0);
  path.trend.Reset();
  EXPECT_EQ(path.trend.usage(), kNormal);
  EXPECT_EQ(path.GroupsUntil(kOverusing, TimeDelta::Zero()), -1);
}

TEST(DelayTrendTest, GroupsThatArriveAtOneTimeHaveNoSlope) {
  Path path;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(path.trend.Update({TimeDelta::Millis(10), TimeDelta::Zero()}, path.now), kNormal);
  }
}

}  // namespace
}  // namespace sluice

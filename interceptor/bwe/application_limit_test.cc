#include "interceptor/bwe/application_limit.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr DataRate kTarget = DataRate::KilobitsPerSec(1000);

struct Source {
  // Sends packets of 1000 bytes at `rate`; how often it changed.
  int Run(TimeDelta duration, DataRate rate) {
    int changes = 0;
    for (const Timestamp end = now + duration; now < end; now += DataSize::Bytes(1000) / rate) {
      changes += limit.OnSent(now, DataSize::Bytes(1000));
    }
    return changes;
  }

  Timestamp now = Timestamp::Seconds(5);
  ApplicationLimit limit{kTarget};
};

TEST(ApplicationLimitTest, ASourceThatUsesItsTargetIsNotLimited) {
  Source source;
  EXPECT_EQ(source.Run(TimeDelta::Seconds(20), kTarget), 0);
  EXPECT_FALSE(source.limit.limited());
  EXPECT_EQ(source.Run(TimeDelta::Seconds(20), DataRate::KilobitsPerSec(700)), 0);
}

TEST(ApplicationLimitTest, ASourceWithLittleToSendIsLimited) {
  Source source;
  EXPECT_EQ(source.Run(TimeDelta::Seconds(5), DataRate::KilobitsPerSec(200)), 1);
  EXPECT_TRUE(source.limit.limited());
  EXPECT_GT(source.limit.since(), Timestamp::Seconds(5));
  EXPECT_LT(source.limit.since(), Timestamp::Seconds(7));
}

TEST(ApplicationLimitTest, MoreToSendEndsIt) {
  Source source;
  source.Run(TimeDelta::Seconds(5), DataRate::KilobitsPerSec(200));
  EXPECT_EQ(source.Run(TimeDelta::Seconds(2), kTarget), 1);
  EXPECT_FALSE(source.limit.limited());
  EXPECT_GE(source.limit.ended(), Timestamp::Seconds(10));
}

TEST(ApplicationLimitTest, ALowerTargetMakesTheSameRateEnough) {
  Source source;
  source.Run(TimeDelta::Seconds(5), DataRate::KilobitsPerSec(400));
  ASSERT_TRUE(source.limit.limited());
  source.limit.SetTarget(DataRate::KilobitsPerSec(300));
  source.Run(TimeDelta::Seconds(3), DataRate::KilobitsPerSec(400));
  EXPECT_FALSE(source.limit.limited());
}

TEST(ApplicationLimitTest, AnOverdrawnBudgetRecoversInOneWindow) {
  Source source;
  source.Run(TimeDelta::Seconds(10), DataRate::KilobitsPerSec(20'000));
  EXPECT_EQ(source.Run(TimeDelta::Seconds(3), DataRate::KilobitsPerSec(100)), 1);
}

}  // namespace
}  // namespace sluice

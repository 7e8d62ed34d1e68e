#include "quic/server/rate_budget.h"

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(RateBudgetTest, ASecondsWorthAtOnceAndThenAsTimeGoes) {
  Timestamp now = Timestamp::Seconds(5);
  RateBudget budget(now, 10);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(budget.Take(now));
  EXPECT_FALSE(budget.Take(now));
  now += TimeDelta::Millis(99);
  EXPECT_FALSE(budget.Take(now));
  now += TimeDelta::Millis(1);
  EXPECT_TRUE(budget.Take(now));
  EXPECT_FALSE(budget.Take(now));
  now += TimeDelta::Minutes(1000);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(budget.Take(now));
  EXPECT_FALSE(budget.Take(now));
}

TEST(RateBudgetTest, NoneIsNone) {
  RateBudget budget(Timestamp::Zero(), 0);
  EXPECT_FALSE(budget.Take(Timestamp::Seconds(100)));
}

}  // namespace
}  // namespace sluice

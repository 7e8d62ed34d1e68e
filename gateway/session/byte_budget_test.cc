#include "gateway/session/byte_budget.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(ByteBudgetTest, AllowsUpToTheLimitAndCountsWhatItRefuses) {
  ByteBudget budget(100);
  size_t a = 0;
  size_t b = 0;
  EXPECT_TRUE(budget.Allows(a, 100));
  EXPECT_FALSE(budget.Allows(a, 101));
  budget.Charge(a, 60);
  EXPECT_TRUE(budget.Allows(b, 40));
  EXPECT_FALSE(budget.Allows(b, 41));
  EXPECT_EQ(budget.used(), 60u);
  EXPECT_EQ(budget.refused(), 2u);
}

TEST(ByteBudgetTest, AnOwnerThatBecomesSmallerMakesRoomForOthers) {
  ByteBudget budget(100);
  size_t a = 0;
  size_t b = 0;
  budget.Charge(a, 100);
  EXPECT_FALSE(budget.Allows(b, 1));
  EXPECT_TRUE(budget.Allows(a, 30));
  budget.Charge(a, 30);
  EXPECT_EQ(a, 30u);
  EXPECT_TRUE(budget.Allows(b, 70));
  budget.Charge(b, 70);
  budget.Charge(a, 0);
  EXPECT_EQ(budget.used(), 70u);
}

TEST(ByteBudgetTest, WithoutALimitThereIsRoomForNothing) {
  ByteBudget budget(0);
  EXPECT_TRUE(budget.Allows(0, 0));
  EXPECT_FALSE(budget.Allows(0, 1));
}

}  // namespace
}  // namespace sluice

#include "interceptor/nack/retransmission_budget.h"

#include <cstdint>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }
DataSize Bytes(int64_t bytes) { return DataSize::Bytes(bytes); }

// What may be repeated is a fifth of what is sent; nothing comes with time.
constexpr RetransmissionBudgetOptions kShare = {
    .percent = 20, .minimum = DataRate::Zero(), .burst = DataSize::Bytes(1000)};

TEST(RetransmissionBudgetTest, OptionsHaveRanges) {
  EXPECT_TRUE(RetransmissionBudget::IsValid({}));
  EXPECT_TRUE(RetransmissionBudget::IsValid(kShare));
  EXPECT_FALSE(RetransmissionBudget::IsValid({.percent = -1}));
  EXPECT_FALSE(RetransmissionBudget::IsValid({.percent = 101}));
  EXPECT_FALSE(RetransmissionBudget::IsValid({.minimum = DataRate::PlusInfinity()}));
  EXPECT_FALSE(RetransmissionBudget::IsValid({.minimum = DataRate::BitsPerSec(-1)}));
  EXPECT_FALSE(RetransmissionBudget::IsValid({.burst = DataSize::Zero()}));
  EXPECT_FALSE(RetransmissionBudget::IsValid({.burst = DataSize::PlusInfinity()}));
}

TEST(RetransmissionBudgetTest, IsFullAtTheStart) {
  RetransmissionBudget budget(kShare);
  EXPECT_TRUE(budget.Allows(Ms(0), Bytes(1000)));
  EXPECT_FALSE(budget.Allows(Ms(0), Bytes(1001)));
  budget.Spend(Bytes(1000));
  EXPECT_FALSE(budget.Allows(Ms(1000), Bytes(1)));
}

TEST(RetransmissionBudgetTest, AShareOfWhatIsSentMayBeRepeated) {
  RetransmissionBudget budget(kShare);
  budget.Spend(Bytes(1000));
  // Shares of less than a byte add up.
  for (int i = 0; i < 100; ++i) {
    budget.Earn(Bytes(12));
  }
  EXPECT_EQ(budget.available(), Bytes(240));
  EXPECT_TRUE(budget.Allows(Ms(0), Bytes(240)));
  EXPECT_FALSE(budget.Allows(Ms(0), Bytes(241)));
}

TEST(RetransmissionBudgetTest, NoMoreIsSavedThanTheBurst) {
  RetransmissionBudget budget(kShare);
  budget.Earn(Bytes(1'000'000));
  EXPECT_EQ(budget.available(), Bytes(1000));
}

TEST(RetransmissionBudgetTest, AMinimumComesWithTime) {
  RetransmissionBudget budget(
      {.percent = 0, .minimum = DataRate::KilobitsPerSec(8), .burst = DataSize::Bytes(1000)});
  EXPECT_TRUE(budget.Allows(Ms(0), Bytes(1000)));
  budget.Spend(Bytes(1000));
  EXPECT_FALSE(budget.Allows(Ms(99), Bytes(100)));
  EXPECT_TRUE(budget.Allows(Ms(100), Bytes(100)));
  EXPECT_EQ(budget.available(), Bytes(100));
  // Not more than the burst, however long nothing was repeated.
  EXPECT_TRUE(budget.Allows(Timestamp::Seconds(1'000'000'000), Bytes(1000)));
  EXPECT_EQ(budget.available(), Bytes(1000));
}

TEST(RetransmissionBudgetTest, TimesTooShortForAByteAddUp) {
  RetransmissionBudget budget(
      {.percent = 0, .minimum = DataRate::KilobitsPerSec(8), .burst = DataSize::Bytes(1000)});
  EXPECT_TRUE(budget.Allows(Ms(0), Bytes(1)));
  budget.Spend(Bytes(1000));
  for (int64_t us = 0; us <= 100'000; us += 100) {
    budget.Allows(Timestamp::Micros(us), Bytes(1));
  }
  EXPECT_EQ(budget.available(), Bytes(100));
}

}  // namespace
}  // namespace sluice

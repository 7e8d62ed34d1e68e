#include "interceptor/bwe/link_capacity.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr DataRate Kbps(int64_t kbps) { return DataRate::KilobitsPerSec(kbps); }

TEST(LinkCapacityTest, BeforeAnythingIsKnownNothingIsOutOfBounds) {
  LinkCapacity capacity;
  EXPECT_FALSE(capacity.estimate().has_value());
  EXPECT_EQ(capacity.UpperBound(), DataRate::PlusInfinity());
  EXPECT_EQ(capacity.LowerBound(), DataRate::Zero());
}

TEST(LinkCapacityTest, TheFirstRateStandsForItself) {
  LinkCapacity capacity;
  capacity.OnOveruse(Kbps(1000));
  EXPECT_EQ(capacity.estimate(), Kbps(1000));
  EXPECT_GT(capacity.UpperBound(), Kbps(1050));
  EXPECT_LT(capacity.UpperBound(), Kbps(1100));
  EXPECT_LT(capacity.LowerBound(), Kbps(950));
  EXPECT_GT(capacity.LowerBound(), Kbps(900));
}

TEST(LinkCapacityTest, AProbeCountsForMoreThanAnOveruse) {
  LinkCapacity capacity;
  capacity.OnOveruse(Kbps(1000));
  capacity.OnOveruse(Kbps(1100));
  EXPECT_EQ(capacity.estimate(), Kbps(1005));
  capacity.OnProbe(Kbps(1105));
  EXPECT_EQ(capacity.estimate(), Kbps(1055));
}

TEST(LinkCapacityTest, RatesFarApartWidenTheBounds) {
  LinkCapacity steady;
  LinkCapacity wild;
  for (int i = 0; i < 100; ++i) {
    steady.OnOveruse(Kbps(1000));
    wild.OnOveruse(Kbps(i % 2 == 0 ? 900 : 1100));
  }
  EXPECT_GT(wild.UpperBound() - *wild.estimate(), steady.UpperBound() - *steady.estimate());
}

TEST(LinkCapacityTest, ARateOfZeroIsARate) {
  LinkCapacity capacity;
  capacity.OnOveruse(DataRate::Zero());
  EXPECT_EQ(capacity.estimate(), DataRate::Zero());
  EXPECT_EQ(capacity.LowerBound(), DataRate::Zero());
  capacity.OnProbe(Kbps(1'000'000));
  EXPECT_GT(capacity.estimate(), DataRate::Zero());
}

TEST(LinkCapacityTest, ResetForgets) {
  LinkCapacity capacity;
  capacity.OnOveruse(Kbps(1000));
  capacity.Reset();
  EXPECT_FALSE(capacity.estimate().has_value());
}

}  // namespace
}  // namespace sluice

#include "interceptor/bwe/rate_control.h"

#include <optional>

#include "gtest/gtest.h"

namespace sluice {
namespace {

using enum PathUsage;

constexpr DataRate Kbps(int64_t kbps) { return DataRate::KilobitsPerSec(kbps); }

// Feedback every 50 ms.
struct Control {
  // `delivered_percent` of the estimate arrives; 0: it is not known how much.
  DataRate Run(TimeDelta duration, PathUsage usage, int64_t delivered_percent = 100,
               bool application_limited = false) {
    for (const Timestamp end = now + duration; now < end; now += TimeDelta::Millis(50)) {
      std::optional<DataRate> delivered;
      if (delivered_percent > 0) {
        delivered = DataRate::BitsPerSec(control.estimate().bps() * delivered_percent / 100);
      }
      control.Update(now, usage, delivered, application_limited);
    }
    return control.estimate();
  }

  Timestamp now = Timestamp::Seconds(10);
  RateControl control{Kbps(30), Kbps(300), Kbps(5000)};
};

void ExpectNear(DataRate rate, DataRate expected, int64_t percent) {
  EXPECT_GE(rate.bps(), expected.bps() * (100 - percent) / 100);
  EXPECT_LE(rate.bps(), expected.bps() * (100 + percent) / 100);
}

TEST(RateControlTest, GrowsByEightPercentASecond) {
  Control control;
  ExpectNear(control.Run(TimeDelta::Seconds(10), kNormal), Kbps(648), 3);
}

TEST(RateControlTest, StaysBetweenItsBounds) {
  Control control;
  EXPECT_EQ(control.Run(TimeDelta::Seconds(60), kNormal), Kbps(5000));
  EXPECT_EQ(control.Run(TimeDelta::Seconds(60), kOverusing, 1), Kbps(30));
}

TEST(RateControlTest, AnOveruseLeadsBelowWhatWasDelivered) {
  Control control;
  const DataRate before = control.control.estimate();
  ExpectNear(control.Run(TimeDelta::Millis(50), kOverusing, 100),
             DataRate::BitsPerSec(before.bps() * 85 / 100) - Kbps(5), 1);
}

TEST(RateControlTest, OneOveruseIsOneDecrease) {
  Control control;
  control.Run(TimeDelta::Millis(50), kOverusing);
  const DataRate once = control.control.estimate();
  EXPECT_EQ(control.Run(TimeDelta::Millis(100), kOverusing), once);
  EXPECT_LT(control.Run(TimeDelta::Millis(150), kOverusing), once) << "a round trip later";
}

TEST(RateControlTest, AnOveruseNeverLeadsUpwards) {
  Control control;
  const DataRate before = control.control.estimate();
  EXPECT_LE(control.Run(TimeDelta::Seconds(2), kOverusing, 300), before);
}

TEST(RateControlTest, WaitsWhileTheQueueDrains) {
  Control control;
  control.Run(TimeDelta::Millis(50), kOverusing);
  const DataRate once = control.control.estimate();
  EXPECT_EQ(control.Run(TimeDelta::Seconds(5), kUnderusing), once);
  EXPECT_GT(control.Run(TimeDelta::Seconds(1), kNormal), once);
}

TEST(RateControlTest, NearWhereThePathWasFullItGrowsByAPacketPerRoundTrip) {
  Control control;
  control.Run(TimeDelta::Seconds(15), kNormal);
  control.control.SetRoundTrip(TimeDelta::Millis(50));
  control.Run(TimeDelta::Millis(50), kOverusing);
  const DataRate decreased = control.control.estimate();
  control.Run(TimeDelta::Millis(100), kNormal);
  const DataRate first = control.control.estimate();
  const DataRate later = control.Run(TimeDelta::Seconds(2), kNormal, 100);
  EXPECT_GT(first, decreased);
  // 1200 bytes per 300 ms are 32 kbit/s a second; a share of 8 % would be 65 and more.
  EXPECT_GT(later - first, Kbps(30));
  EXPECT_LT(later - first, Kbps(75));
}

TEST(RateControlTest, MuchMoreDeliveredThanThePathEverCarriedMakesItGrowFreely) {
  Control control;
  control.Run(TimeDelta::Millis(50), kOverusing);
  control.control.SetEstimate(control.now, Kbps(1000));
  const DataRate later = control.Run(TimeDelta::Seconds(2), kNormal, 100);
  ExpectNear(later, Kbps(1166), 3);
}

// Pion's estimate grew without limit while there was little to send.
TEST(RateControlTest, WhatWasNotTriedIsNotClaimed) {
  Control control;
  const DataRate before = control.control.estimate();
  EXPECT_EQ(control.Run(TimeDelta::Seconds(60), kNormal, 20, /*application_limited=*/true), before);
  // Also where nobody noticed that there is little to send.
  RateControl other(Kbps(30), Kbps(300), Kbps(5000));
  for (int i = 0; i < 1000; ++i) {
    other.Update(Timestamp::Millis(50 * i), kNormal, Kbps(300), false);
  }
  EXPECT_EQ(other.estimate(), Kbps(460));
}

TEST(RateControlTest, WithoutKnowingWhatIsDeliveredAnOveruseHalves) {
  Control control;
  EXPECT_EQ(control.Run(TimeDelta::Millis(50), kOverusing, 0), Kbps(150));
}

TEST(RateControlTest, AProbeSetsTheRate) {
  Control control;
  control.control.OnProbe(control.now, Kbps(900));
  EXPECT_EQ(control.control.estimate(), Kbps(900));
  control.control.OnProbe(control.now, Kbps(90'000));
  EXPECT_EQ(control.control.estimate(), Kbps(5000));
}

TEST(RateControlTest, APauseDoesNotMakeItLeap) {
  Control control;
  control.Run(TimeDelta::Seconds(1), kNormal);
  const DataRate before = control.control.estimate();
  control.now += TimeDelta::Seconds(600);
  const DataRate after = control.Run(TimeDelta::Millis(50), kNormal);
  EXPECT_LE(after.bps(), before.bps() * 109 / 100);
}

}  // namespace
}  // namespace sluice

#include "interceptor/bwe/delivered_rate.h"

#include <optional>

#include "gtest/gtest.h"

namespace sluice {
namespace {

// Packets of 1000 bytes that arrive every `gap`.
struct Arrivals {
  void Run(TimeDelta duration, TimeDelta gap, bool application_limited = false) {
    for (const Timestamp end = now + duration; now < end; now += gap) {
      rate.Add(now, DataSize::Bytes(1000), application_limited);
    }
  }
  int64_t kbps() const { return rate.rate().has_value() ? rate.rate()->bps() / 1000 : -1; }

  Timestamp now = Timestamp::Seconds(1000);
  DeliveredRate rate;
};

TEST(DeliveredRateTest, NothingIsKnownBeforeHalfASecond) {
  Arrivals arrivals;
  EXPECT_EQ(arrivals.kbps(), -1);
  arrivals.Run(TimeDelta::Millis(490), TimeDelta::Millis(8));
  EXPECT_EQ(arrivals.kbps(), -1);
  arrivals.Run(TimeDelta::Millis(20), TimeDelta::Millis(8));
  EXPECT_NEAR(static_cast<double>(arrivals.kbps()), 1000, 30);
}

TEST(DeliveredRateTest, FollowsTheRate) {
  Arrivals arrivals;
  arrivals.Run(TimeDelta::Seconds(2), TimeDelta::Millis(8));
  EXPECT_NEAR(static_cast<double>(arrivals.kbps()), 1000, 50);
  arrivals.Run(TimeDelta::Seconds(3), TimeDelta::Millis(16));
  EXPECT_NEAR(static_cast<double>(arrivals.kbps()), 500, 40);
  arrivals.Run(TimeDelta::Seconds(3), TimeDelta::Millis(4));
  EXPECT_NEAR(static_cast<double>(arrivals.kbps()), 2000, 200);
}

TEST(DeliveredRateTest, AnExpectedChangeIsFollowedFaster) {
  Arrivals plain;
  plain.Run(TimeDelta::Seconds(2), TimeDelta::Millis(8));
  // The window in which the change falls is over soon.
  plain.Run(TimeDelta::Millis(100), TimeDelta::Millis(2));
  Arrivals expected = plain;
  expected.rate.ExpectChange();
  plain.Run(TimeDelta::Millis(300), TimeDelta::Millis(2));
  expected.Run(TimeDelta::Millis(300), TimeDelta::Millis(2));
  EXPECT_GT(expected.kbps(), plain.kbps());
}

TEST(DeliveredRateTest, LessOfAnApplicationWithLessToSendIsBelievedLess) {
  Arrivals busy;
  busy.Run(TimeDelta::Seconds(2), TimeDelta::Millis(8));
  Arrivals limited = busy;
  busy.Run(TimeDelta::Millis(500), TimeDelta::Millis(40), false);
  limited.Run(TimeDelta::Millis(500), TimeDelta::Millis(40), true);
  EXPECT_GT(limited.kbps(), busy.kbps());
}

TEST(DeliveredRateTest, APauseIsNotALowRate) {
  Arrivals arrivals;
  arrivals.Run(TimeDelta::Seconds(2), TimeDelta::Millis(8));
  const int64_t before = arrivals.kbps();
  arrivals.now += TimeDelta::Seconds(60);
  arrivals.Run(TimeDelta::Millis(100), TimeDelta::Millis(8));
  EXPECT_NEAR(static_cast<double>(arrivals.kbps()), static_cast<double>(before), 100);
}

TEST(DeliveredRateTest, AClockSetBackIsSurvived) {
  Arrivals arrivals;
  arrivals.Run(TimeDelta::Seconds(2), TimeDelta::Millis(8));
  arrivals.now -= TimeDelta::Seconds(500);
  arrivals.Run(TimeDelta::Seconds(2), TimeDelta::Millis(8));
  EXPECT_NEAR(static_cast<double>(arrivals.kbps()), 1000, 50);
}

TEST(DeliveredRateTest, PacketsWithoutBytesDivideNothingByZero) {
  DeliveredRate rate;
  for (int i = 0; i < 200; ++i) {
    rate.Add(Timestamp::Millis(10 * i), DataSize::Zero(), false);
  }
  EXPECT_EQ(rate.rate(), DataRate::Zero());
  for (int i = 200; i < 400; ++i) {
    rate.Add(Timestamp::Millis(10 * i), DataSize::Bytes(1000), false);
  }
  EXPECT_NEAR(static_cast<double>(rate.rate()->bps()), 800'000, 50'000);
}

}  // namespace
}  // namespace sluice

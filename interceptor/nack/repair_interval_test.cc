#include "interceptor/nack/repair_interval.h"

#include <cstdint>

#include "base/time_delta.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TimeDelta Ms(int64_t ms) { return TimeDelta::Millis(ms); }

TEST(RepairIntervalTest, AssumesUntilItWasMeasured) {
  RepairInterval interval(Ms(100));
  EXPECT_EQ(interval.round_trip(), Ms(100));
  interval.Measure(Ms(40));
  EXPECT_EQ(interval.round_trip(), Ms(40));
}

TEST(RepairIntervalTest, WaitsLongerForAnAnswerThanItHoldsBackARepetition) {
  const RepairInterval interval(Ms(80));
  EXPECT_EQ(interval.ask_again(), Ms(90));
  EXPECT_EQ(interval.repeat_again(), Ms(70));
}

TEST(RepairIntervalTest, NoMeasurementStopsRepairOrMakesItALoop) {
  RepairInterval interval(Ms(100));
  for (const TimeDelta low : {TimeDelta::MinusInfinity(), Ms(-3), Ms(0), TimeDelta::Micros(1)}) {
    interval.Measure(low);
    EXPECT_EQ(interval.round_trip(), RepairInterval::kMin);
    EXPECT_GT(interval.repeat_again(), TimeDelta::Zero());
  }
  for (const TimeDelta high : {TimeDelta::Seconds(60), TimeDelta::PlusInfinity()}) {
    interval.Measure(high);
    EXPECT_EQ(interval.round_trip(), RepairInterval::kMax);
  }
}

}  // namespace
}  // namespace sluice

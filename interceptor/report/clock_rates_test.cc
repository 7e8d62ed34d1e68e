#include "interceptor/report/clock_rates.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(ClockRatesTest, EachFormatHasItsRateAndOthersThatOfTheFirst) {
  StreamInfo info;
  ASSERT_TRUE(info.AddFormat({.payload_type = PayloadType(111), .clock_rate = 48000}));
  ASSERT_TRUE(info.AddFormat({.payload_type = PayloadType(126), .clock_rate = 8000}));
  const ClockRates clocks(info);
  EXPECT_EQ(clocks.RateOf(PayloadType(111)), 48000u);
  EXPECT_EQ(clocks.RateOf(PayloadType(126)), 8000u);
  EXPECT_EQ(clocks.RateOf(PayloadType(0)), 48000u);
}

TEST(ClockRatesTest, NoRateIsZero) {
  EXPECT_EQ(ClockRates().RateOf(PayloadType(96)), 90000u);
  EXPECT_EQ(ClockRates(StreamInfo()).RateOf(PayloadType(96)), 90000u);
  StreamInfo info;
  ASSERT_TRUE(info.AddFormat({.payload_type = PayloadType(96), .clock_rate = 0}));
  EXPECT_EQ(ClockRates(info).RateOf(PayloadType(96)), 90000u);
}

}  // namespace
}  // namespace sluice

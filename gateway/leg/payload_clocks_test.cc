#include "gateway/leg/payload_clocks.h"

#include <vector>

#include "gateway/leg/leg_spec.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

TEST(PayloadClocksTest, StaticTypesHaveTheirRateOfRfc3551AndOthersNinetyKilohertz) {
  const PayloadClocks clocks({});
  EXPECT_EQ(clocks.ClockRate(PayloadType(0)), 8'000u);
  EXPECT_EQ(clocks.ClockRate(PayloadType(9)), 8'000u);
  EXPECT_EQ(clocks.ClockRate(PayloadType(10)), 44'100u);
  EXPECT_EQ(clocks.ClockRate(PayloadType(17)), 22'050u);
  EXPECT_EQ(clocks.ClockRate(PayloadType(34)), 90'000u);
  EXPECT_EQ(clocks.ClockRate(PayloadType(1)), kDefaultClockRate);
  EXPECT_EQ(clocks.ClockRate(PayloadType(96)), kDefaultClockRate);
  EXPECT_EQ(clocks.ClockRate(PayloadType(127)), kDefaultClockRate);
}

TEST(PayloadClocksTest, SignallingWins) {
  const std::vector<PayloadClock> signalled = {{PayloadType(111), "opus", 48'000},
                                               {PayloadType(0), "odd", 16'000}};
  const PayloadClocks clocks(signalled);
  EXPECT_EQ(clocks.ClockRate(PayloadType(111)), 48'000u);
  EXPECT_EQ(clocks.ClockRate(PayloadType(0)), 16'000u);
  EXPECT_EQ(clocks.ClockRate(PayloadType(8)), 8'000u);
}

TEST(PayloadClocksTest, WhatIsOutOfRangeChangesNothing) {
  const std::vector<PayloadClock> signalled = {{PayloadType(200), "", 48'000},
                                               {PayloadType(8), "", 0}};
  const PayloadClocks clocks(signalled);
  EXPECT_EQ(clocks.ClockRate(PayloadType(200 & 0x7F)), kDefaultClockRate);
  EXPECT_EQ(clocks.ClockRate(PayloadType(8)), 8'000u);
}

}  // namespace
}  // namespace sluice

#include "gateway/leg/payload_clocks.h"

#include <string>
#include <utility>
#include <vector>

#include "gateway/leg/media_description.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

PayloadDescription Described(uint8_t payload_type, std::string name, uint32_t clock_rate) {
  PayloadDescription result;
  result.payload_type = PayloadType(payload_type);
  result.encoding_name = std::move(name);
  result.clock_rate = clock_rate;
  return result;
}

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
  const std::vector<PayloadDescription> signalled = {Described(111, "opus", 48'000),
                                                     Described(0, "odd", 16'000)};
  const PayloadClocks clocks(signalled);
  EXPECT_EQ(clocks.ClockRate(PayloadType(111)), 48'000u);
  EXPECT_EQ(clocks.ClockRate(PayloadType(0)), 16'000u);
  EXPECT_EQ(clocks.ClockRate(PayloadType(8)), 8'000u);
}

TEST(PayloadClocksTest, WhatIsOutOfRangeChangesNothing) {
  const std::vector<PayloadDescription> signalled = {Described(200, "", 48'000),
                                                     Described(8, "", 0)};
  const PayloadClocks clocks(signalled);
  EXPECT_EQ(clocks.ClockRate(PayloadType(200 & 0x7F)), kDefaultClockRate);
  EXPECT_EQ(clocks.ClockRate(PayloadType(8)), 8'000u);
}

}  // namespace
}  // namespace sluice

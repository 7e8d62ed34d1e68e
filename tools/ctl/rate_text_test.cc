#include "tools/ctl/rate_text.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(RateTextTest, RatesHaveAReadableUnit) {
  EXPECT_EQ(FormatRate(DataRate::BitsPerSec(0)), "0 bit/s");
  EXPECT_EQ(FormatRate(DataRate::BitsPerSec(999)), "999 bit/s");
  EXPECT_EQ(FormatRate(DataRate::BitsPerSec(64'000)), "64.0 kbit/s");
  EXPECT_EQ(FormatRate(DataRate::BitsPerSec(12'000'000)), "12.0 Mbit/s");
  EXPECT_EQ(FormatRate(DataRate::BitsPerSec(2'500'000'000)), "2.5 Gbit/s");
}

}  // namespace
}  // namespace sluice

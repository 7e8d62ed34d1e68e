#include "base/data_rate.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(DataRateTest, IsOneNumberThatMustBeGiven) {
  static_assert(!std::is_default_constructible_v<DataRate>);
  static_assert(!std::is_convertible_v<int64_t, DataRate>);
  static_assert(sizeof(DataRate) == sizeof(int64_t));
}

TEST(DataRateTest, ArithmeticAndOrder) {
  DataRate rate = DataRate::KilobitsPerSec(64);
  EXPECT_EQ(rate.bps(), 64'000);
  rate += DataRate::BitsPerSec(500);
  rate -= DataRate::BitsPerSec(250);
  EXPECT_EQ(rate, DataRate::BitsPerSec(64'250));
  EXPECT_EQ(rate * 2, DataRate::BitsPerSec(128'500));
  EXPECT_EQ(2 * rate - rate, rate);
  static_assert(DataRate::BitsPerSec(999) < DataRate::KilobitsPerSec(1));
  static_assert(DataRate::BitsPerSec(kMax - 1) < DataRate::PlusInfinity());
  EXPECT_TRUE((rate - rate).IsZero());
}

TEST(DataRateTest, Saturates) {
  EXPECT_EQ(DataRate::KilobitsPerSec(kMax), DataRate::PlusInfinity());
  EXPECT_EQ(DataRate::BitsPerSec(kMax - 1) + DataRate::BitsPerSec(kMax - 1),
            DataRate::PlusInfinity());
  EXPECT_FALSE((DataRate::BitsPerSec(kMax - 1) * 2).IsFinite());
}

TEST(DataRateTest, SizeRateAndTimeMakeEachOther) {
  // G.711: 160 bytes each 20 ms are 64 kbit/s.
  const DataSize size = DataSize::Bytes(160);
  const TimeDelta window = TimeDelta::Millis(20);
  const DataRate rate = DataRate::KilobitsPerSec(64);
  EXPECT_EQ(size / window, rate);
  EXPECT_EQ(rate * window, size);
  EXPECT_EQ(window * rate, size);
  EXPECT_EQ(size / rate, window);
}

TEST(DataRateTest, ConversionsTruncateTowardsZero) {
  EXPECT_EQ(DataSize::Bytes(1) / TimeDelta::Seconds(3), DataRate::BitsPerSec(2));
  EXPECT_EQ(DataRate::BitsPerSec(15) * TimeDelta::Seconds(1), DataSize::Bytes(1));
  EXPECT_EQ(DataRate::BitsPerSec(-15) * TimeDelta::Seconds(1), DataSize::Bytes(-1));
  EXPECT_EQ(DataSize::Bytes(1) / DataRate::BitsPerSec(3'000'000), TimeDelta::Micros(2));
}

TEST(DataRateTest, LargeAmountsDoNotOverflowOnTheWay) {
  // 400 Gbit/s for a year.
  const DataRate rate = DataRate::KilobitsPerSec(400'000'000);
  const TimeDelta year = TimeDelta::Minutes(365 * 24 * 60);
  const DataSize size = DataSize::Bytes(1'576'800'000'000'000'000);
  EXPECT_EQ(rate * year, size);
  EXPECT_EQ(size / year, rate);
  EXPECT_EQ(size / rate, year);
}

TEST(DataRateTest, ConversionsSaturate) {
  EXPECT_EQ(DataSize::Bytes(kMax - 1) / TimeDelta::Micros(1), DataRate::PlusInfinity());
  EXPECT_EQ(DataSize::Bytes(1) / TimeDelta::Zero(), DataRate::PlusInfinity());
  EXPECT_EQ(DataSize::Zero() / TimeDelta::Zero(), DataRate::Zero());
  EXPECT_EQ(DataSize::Bytes(1) / TimeDelta::PlusInfinity(), DataRate::Zero());
  EXPECT_EQ(DataSize::Bytes(1) / DataRate::Zero(), TimeDelta::PlusInfinity());
  EXPECT_EQ(DataSize::Bytes(1) / DataRate::PlusInfinity(), TimeDelta::Zero());
  EXPECT_EQ(DataRate::BitsPerSec(1) * TimeDelta::PlusInfinity(), DataSize::PlusInfinity());
  EXPECT_EQ(DataRate::Zero() * TimeDelta::PlusInfinity(), DataSize::Zero());
  EXPECT_EQ(DataRate::BitsPerSec(kMax - 1) * TimeDelta::Seconds(9), DataSize::PlusInfinity());
}

TEST(DataRateTest, Prints) {
  EXPECT_EQ(absl::StrCat(DataRate::KilobitsPerSec(2'500)), "2500 kbps");
  EXPECT_EQ(absl::StrCat(DataRate::BitsPerSec(64'001)), "64001 bps");
  EXPECT_EQ(absl::StrCat(DataRate::PlusInfinity()), "+inf");
}

}  // namespace
}  // namespace sluice

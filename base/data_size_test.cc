#include "base/data_size.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(DataSizeTest, IsOneNumberThatMustBeGiven) {
  static_assert(!std::is_default_constructible_v<DataSize>);
  static_assert(!std::is_convertible_v<int64_t, DataSize>);
  static_assert(sizeof(DataSize) == sizeof(int64_t));
}

TEST(DataSizeTest, Arithmetic) {
  DataSize budget = DataSize::Bytes(1'000);
  budget += DataSize::Bytes(500) * 2;
  EXPECT_EQ(budget, DataSize::Bytes(2'000));
  budget -= DataSize::Bytes(2'100);
  EXPECT_EQ(budget.bytes(), -100) << "an overdrawn budget is a value";
  EXPECT_EQ(3 * DataSize::Bytes(4) - DataSize::Bytes(12), DataSize::Zero());
  EXPECT_TRUE(DataSize::Zero().IsZero());
}

TEST(DataSizeTest, IsOrdered) {
  static_assert(DataSize::Bytes(-1) < DataSize::Zero());
  static_assert(DataSize::Bytes(kMax - 1) < DataSize::PlusInfinity());
  static_assert(DataSize::Bytes(5) >= DataSize::Bytes(5));
}

TEST(DataSizeTest, Saturates) {
  EXPECT_EQ(DataSize::Bytes(kMax - 1) + DataSize::Bytes(1), DataSize::PlusInfinity());
  EXPECT_EQ(DataSize::Bytes(kMax - 1) * 2, DataSize::PlusInfinity());
  EXPECT_FALSE((DataSize::Bytes(-kMax) - DataSize::Bytes(1)).IsFinite());
  EXPECT_EQ(DataSize::PlusInfinity() - DataSize::Bytes(1), DataSize::PlusInfinity());
}

TEST(DataSizeTest, Prints) {
  EXPECT_EQ(absl::StrCat(DataSize::Bytes(1'200)), "1200 bytes");
  EXPECT_EQ(absl::StrCat(DataSize::PlusInfinity()), "+inf");
  EXPECT_EQ(absl::StrCat(DataSize::PlusInfinity() * -1), "-inf");
}

}  // namespace
}  // namespace sluice

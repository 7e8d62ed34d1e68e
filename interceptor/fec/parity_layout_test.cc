#include "interceptor/fec/parity_layout.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(ParityLayoutTest, CountsPacketsAndParities) {
  constexpr ParityLayout kBoth = {.columns = 5, .rows = 4, .column_parity = true};
  static_assert(kBoth.IsValid());
  EXPECT_EQ(kBoth.packets(), 20u);
  EXPECT_EQ(kBoth.parities(), 9u);
  EXPECT_EQ(ParityLayout().parities(), 1u);
  EXPECT_TRUE(ParityLayout().IsValid());
}

TEST(ParityLayoutTest, HasParityAndAtMost109Packets) {
  EXPECT_TRUE((ParityLayout{.columns = 109}.IsValid()));
  EXPECT_TRUE((ParityLayout{.columns = 1}.IsValid()));
  EXPECT_FALSE((ParityLayout{.columns = 0}.IsValid()));
  EXPECT_FALSE((ParityLayout{.columns = 110}.IsValid()));
  EXPECT_FALSE((ParityLayout{.columns = 11, .rows = 10}.IsValid()));
  EXPECT_FALSE((ParityLayout{.columns = 10, .rows = 0}.IsValid()));
  // Whose product would be small again.
  EXPECT_FALSE((ParityLayout{.columns = 2, .rows = SIZE_MAX / 2 + 2}.IsValid()));
  EXPECT_FALSE((ParityLayout{.row_parity = false}.IsValid()));
  EXPECT_FALSE((ParityLayout{.columns = 5, .rows = 1, .column_parity = true}.IsValid()));
}

}  // namespace
}  // namespace sluice

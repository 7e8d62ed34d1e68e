#include "gateway/io/system_random.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(SystemRandomTest, OverwritesEveryByteAskedForAndNoOther) {
  SystemRandom random;
  // Longer than one getrandom call gives without being interruptible (256).
  std::vector<uint8_t> seen_not_zero(4096, 0);
  for (int round = 0; round < 8; ++round) {
    std::vector<uint8_t> bytes(seen_not_zero.size() + 1, 0);
    random.Fill(absl::MakeSpan(bytes).first(seen_not_zero.size()));
    for (size_t i = 0; i < seen_not_zero.size(); ++i) seen_not_zero[i] |= bytes[i];
    EXPECT_EQ(bytes.back(), 0);
  }
  // All 8 draws of one byte are 0 once in 2^64.
  EXPECT_THAT(seen_not_zero, testing::Each(testing::Ne(0)));
}

TEST(SystemRandomTest, TwoSourcesDiffer) {
  SystemRandom a;
  SystemRandom b;
  EXPECT_NE(a.NextU64(), b.NextU64());
}

TEST(SystemRandomTest, FillsNothing) { SystemRandom().Fill({}); }

}  // namespace
}  // namespace sluice

#include "base/random_source.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// Gives out the 64-bit words it was built with, and counts them.
class Script : public RandomSource {
 public:
  Script(std::initializer_list<uint64_t> words) {
    for (const uint64_t word : words) {
      bytes_.resize(bytes_.size() + 8);
      StoreBe64(&bytes_[bytes_.size() - 8], word);
    }
  }

  void Fill(absl::Span<uint8_t> bytes) override {
    CopyBytes(bytes, absl::MakeConstSpan(bytes_).subspan(at_, bytes.size()));
    at_ += bytes.size();
  }

  size_t words_used() const { return at_ / 8; }

 private:
  std::vector<uint8_t> bytes_;
  size_t at_ = 0;
};

TEST(RandomSourceTest, NumbersAreTheNextBytesOnEveryPlatform) {
  Script script = {0x0123456789ABCDEF, 0xFEDCBA9876543210};
  EXPECT_EQ(script.NextU32(), 0x01234567u);
  EXPECT_EQ(script.NextU32(), 0x89ABCDEFu);
  EXPECT_EQ(script.NextU64(), 0xFEDCBA9876543210u);
}

TEST(RandomSourceTest, BelowRefusesTheValuesThatWouldBeBias) {
  // 2^64 mod 3 is 1: of the 2^64 values exactly one is too many.
  Script script = {0, 1, 2, std::numeric_limits<uint64_t>::max()};
  EXPECT_EQ(script.Below(3), 1u);
  EXPECT_EQ(script.words_used(), 2u);
  EXPECT_EQ(script.Below(3), 2u);
  EXPECT_EQ(script.Below(3), 0u);
}

TEST(RandomSourceTest, BelowAPowerOfTwoRefusesNothing) {
  Script script = {0, 0x1F, std::numeric_limits<uint64_t>::max()};
  EXPECT_EQ(script.Below(16), 0u);
  EXPECT_EQ(script.Below(16), 15u);
  EXPECT_EQ(script.Below(uint64_t{1} << 63), (uint64_t{1} << 63) - 1);
}

TEST(RandomSourceTest, BelowTheExtremes) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  Script script = {12345, 0, kMax, kMax - 1};
  EXPECT_EQ(script.Below(1), 0u);
  // 2^64 mod (2^64 - 1) is 1, so that 0 is refused and 2^64 - 1 stands for 0.
  EXPECT_EQ(script.Below(kMax), 0u);
  EXPECT_EQ(script.Below(kMax), kMax - 1);
}

TEST(RandomSourceDeathTest, BelowZeroIsOurMistake) {
  Script script = {1};
  EXPECT_DEATH(script.Below(0), "bound > 0");
}

TEST(RandomSourceTest, BelowHitsEveryValueEquallyOften) {
  constexpr uint64_t kBound = 10;
  constexpr int kDraws = 100'000;
  SeededRandom random(4);
  std::array<int, kBound> hits{};
  for (int i = 0; i < kDraws; ++i) ++hits[random.Below(kBound)];
  // The standard deviation is 95; the seed is fixed, so this is no game of chance.
  for (const int count : hits) EXPECT_NEAR(count, kDraws / kBound, 500);
}

}  // namespace
}  // namespace sluice

#include "srtp/key_derivation_rate.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint64_t kLastIndex = (uint64_t{1} << 48) - 1;

TEST(KeyDerivationRateTest, IsZeroOrAPowerOfTwoUpTo2To24) {
  EXPECT_EQ(KeyDerivationRate::Create(0)->packets(), 0u);
  for (int exponent = 0; exponent <= 24; ++exponent) {
    const uint64_t packets = uint64_t{1} << exponent;
    const absl::StatusOr<KeyDerivationRate> rate = KeyDerivationRate::Create(packets);
    ASSERT_TRUE(rate.ok()) << rate.status();
    EXPECT_EQ(rate->packets(), packets);
  }
  for (const uint64_t packets :
       {uint64_t{3}, uint64_t{5}, uint64_t{255}, uint64_t{65535}, (uint64_t{1} << 24) - 1,
        (uint64_t{1} << 24) + 1, uint64_t{1} << 25, uint64_t{1} << 48, uint64_t{1} << 63,
        ~uint64_t{0}}) {
    const absl::Status status = KeyDerivationRate::Create(packets).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << packets;
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr("0 or a power of two"), HasSubstr("1..16777216")));
  }
}

TEST(KeyDerivationRateTest, IsZeroUnlessMade) {
  EXPECT_EQ(KeyDerivationRate(), *KeyDerivationRate::Create(0));
  EXPECT_FALSE(KeyDerivationRate() == *KeyDerivationRate::Create(1));
}

TEST(KeyDerivationRateTest, QuotientIsTheIndexDividedByTheRateAndZeroForRateZero) {
  SeededRandom random(3711);
  for (uint64_t packets = 1; packets <= KeyDerivationRate::kMaxPackets; packets *= 2) {
    const KeyDerivationRate rate = *KeyDerivationRate::Create(packets);
    EXPECT_EQ(rate.Quotient(0), 0u);
    EXPECT_EQ(rate.Quotient(packets - 1), 0u);
    EXPECT_EQ(rate.Quotient(packets), 1u);
    EXPECT_EQ(rate.Quotient(kLastIndex), kLastIndex / packets);
    for (int i = 0; i < 100; ++i) {
      const uint64_t index = random.NextU64() & kLastIndex;
      EXPECT_EQ(rate.Quotient(index), index / packets) << index;
    }
  }
  EXPECT_EQ(KeyDerivationRate().Quotient(0), 0u);
  EXPECT_EQ(KeyDerivationRate().Quotient(kLastIndex), 0u);
}

}  // namespace
}  // namespace sluice

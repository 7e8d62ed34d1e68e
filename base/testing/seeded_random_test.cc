#include "base/testing/seeded_random.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::ElementsAre;

// The first outputs of the reference implementation of SplitMix64 for this seed.
TEST(SeededRandomTest, GivesTheSameNumbersEverywhere) {
  SeededRandom random(1234567);
  EXPECT_EQ(random.NextU64(), 6457827717110365317u);
  EXPECT_EQ(random.NextU64(), 3203168211198807973u);
  EXPECT_EQ(random.NextU64(), 9817491932198370423u);
  EXPECT_EQ(random.NextU64(), 4593380528125082431u);
  EXPECT_EQ(random.seed(), 1234567u);
}

TEST(SeededRandomTest, FillsAnySizeAndNoMore) {
  // 6457827717110365317 is 0x599ED017FB08FC85.
  std::vector<uint8_t> bytes(5, 0);
  SeededRandom short_fill(1234567);
  short_fill.Fill(absl::MakeSpan(bytes).first(3));
  EXPECT_THAT(bytes, ElementsAre(0x59, 0x9E, 0xD0, 0, 0));
  std::vector<uint8_t> more(9, 0);
  SeededRandom long_fill(1234567);
  long_fill.Fill(absl::MakeSpan(more));
  EXPECT_THAT(more, ElementsAre(0x59, 0x9E, 0xD0, 0x17, 0xFB, 0x08, 0xFC, 0x85, 0x2C));
  long_fill.Fill({});
}

TEST(SeededRandomTest, DifferentSeedsDiffer) {
  EXPECT_NE(SeededRandom(1).NextU64(), SeededRandom(2).NextU64());
}

class SeedFromEnvTest : public testing::Test {
 protected:
  ~SeedFromEnvTest() override { unsetenv("SLUICE_TEST_SEED"); }

  static void Set(const char* value) { setenv("SLUICE_TEST_SEED", value, /*overwrite=*/1); }
};

TEST_F(SeedFromEnvTest, IsTheDefaultWhenUnset) {
  unsetenv("SLUICE_TEST_SEED");
  EXPECT_EQ(SeededRandom::SeedFromEnvOr(42), 42u);
}

TEST_F(SeedFromEnvTest, ReadsDecimalAndHex) {
  Set("18446744073709551615");
  EXPECT_EQ(SeededRandom::SeedFromEnvOr(42), UINT64_MAX);
  Set("0xFf");
  EXPECT_EQ(SeededRandom::SeedFromEnvOr(42), 255u);
}

using SeedFromEnvDeathTest = SeedFromEnvTest;

TEST_F(SeedFromEnvDeathTest, DoesNotGuess) {
  for (const char* wrong : {"", "abc", "-1", "0x", "18446744073709551616"}) {
    Set(wrong);
    EXPECT_DEATH(SeededRandom::SeedFromEnvOr(42), "SLUICE_TEST_SEED is not a 64-bit number");
  }
}

}  // namespace
}  // namespace sluice

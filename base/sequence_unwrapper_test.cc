#include "base/sequence_unwrapper.h"

#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(SequenceUnwrapperTest, TheFirstValueStandsForItself) {
  SequenceUnwrapper<uint16_t> unwrapper;
  EXPECT_EQ(unwrapper.last(), std::nullopt);
  EXPECT_EQ(unwrapper.Unwrap(65535), 65535);
  EXPECT_EQ(unwrapper.last(), 65535);
}

TEST(SequenceUnwrapperTest, CountsOnOverTheEnd) {
  SequenceUnwrapper<uint16_t> unwrapper;
  EXPECT_EQ(unwrapper.Unwrap(65534), 65534);
  EXPECT_EQ(unwrapper.Unwrap(65535), 65535);
  EXPECT_EQ(unwrapper.Unwrap(0), 65536);
  EXPECT_EQ(unwrapper.Unwrap(65535), 65535) << "a late packet goes back over the end";
  EXPECT_EQ(unwrapper.Unwrap(3), 65539);
}

TEST(SequenceUnwrapperTest, GoesBelowZero) {
  SequenceUnwrapper<uint16_t> unwrapper;
  EXPECT_EQ(unwrapper.Unwrap(0), 0);
  EXPECT_EQ(unwrapper.Unwrap(65535), -1);
  EXPECT_EQ(unwrapper.Unwrap(32768), -32768);
  EXPECT_EQ(unwrapper.Unwrap(32767), -32769);
  EXPECT_EQ(unwrapper.Unwrap(0), -65536) << "32767 back is nearer than 32769 forward";
}

TEST(SequenceUnwrapperTest, ExactlyHalfAwayIsForward) {
  SequenceUnwrapper<uint16_t> unwrapper;
  unwrapper.Unwrap(1000);
  EXPECT_EQ(unwrapper.Peek(1000 + 32767), 33767);
  EXPECT_EQ(unwrapper.Peek(1000 + 32768), 33768);
  EXPECT_EQ(unwrapper.Peek(1000 + 32769), 33769 - 65536);
}

TEST(SequenceUnwrapperTest, PeekRemembersNothing) {
  SequenceUnwrapper<uint16_t> unwrapper;
  EXPECT_EQ(unwrapper.Peek(7), 7);
  EXPECT_EQ(unwrapper.last(), std::nullopt);
  unwrapper.Unwrap(65000);
  EXPECT_EQ(unwrapper.Peek(10), 65546);
  EXPECT_EQ(unwrapper.last(), 65000);
}

TEST(SequenceUnwrapperTest, WorksForEachWidth) {
  SequenceUnwrapper<uint8_t> narrow;
  narrow.Unwrap(250);
  EXPECT_EQ(narrow.Unwrap(5), 261);
  EXPECT_EQ(narrow.Peek(5 + 128), 261 + 128);
  EXPECT_EQ(narrow.Peek(5 + 129), 261 - 127);
  SequenceUnwrapper<uint32_t> wide;
  wide.Unwrap(0xFFFFFFFF);
  EXPECT_EQ(wide.Unwrap(0x7FFFFFFF), 0x17FFFFFFF);
  EXPECT_EQ(wide.Peek(0xFFFFFFFF), 0x1FFFFFFFF) << "exactly half away";
  EXPECT_EQ(wide.Peek(0), 0x100000000);
}

TEST(SequenceUnwrapperTest, WorksAtCompileTime) {
  static_assert([] {
    SequenceUnwrapper<uint16_t> unwrapper;
    unwrapper.Unwrap(65535);
    return unwrapper.Unwrap(0);
  }() == 65536);
}

// Any walk whose steps are shorter than half the range is found again from its low bits.
TEST(SequenceUnwrapperTest, FollowsARandomWalk) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  SequenceUnwrapper<uint16_t> unwrapper;
  int64_t truth = static_cast<int64_t>(random.Below(65536));
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(unwrapper.Unwrap(static_cast<uint16_t>(truth)), truth) << "step " << i;
    truth += static_cast<int64_t>(random.Below(65536)) - 32767;
  }
}

}  // namespace
}  // namespace sluice

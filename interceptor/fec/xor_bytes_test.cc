#include "interceptor/fec/xor_bytes.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(XorBytesTest, AddsEveryByteAtEveryLengthAndAlignmentAndNoneBehind) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(2);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (size_t size = 0; size < 300; ++size) {
    const size_t offset = random.Below(16);
    Bytes to(offset + size + 16);
    Bytes from(random.Below(16) + size);
    random.Fill(absl::MakeSpan(to));
    random.Fill(absl::MakeSpan(from));
    Bytes expected = to;
    for (size_t i = 0; i < size; ++i) {
      expected[offset + i] ^= from[from.size() - size + i];
    }
    XorBytes(absl::MakeSpan(to).subspan(offset), absl::MakeConstSpan(from).last(size));
    ASSERT_EQ(to, expected) << size;
  }
}

TEST(XorBytesTest, TwiceIsNothing) {
  Bytes to = {1, 2, 3};
  const Bytes from = {7, 8, 9};
  XorBytes(absl::MakeSpan(to), from);
  EXPECT_EQ(to, (Bytes{6, 10, 10}));
  XorBytes(absl::MakeSpan(to), from);
  EXPECT_EQ(to, (Bytes{1, 2, 3}));
}

TEST(XorBytesDeathTest, NoByteIsWrittenPastTheEnd) {
  Bytes to = {1};
  EXPECT_DEATH(XorBytes(absl::MakeSpan(to), Bytes{1, 2}), "");
}

}  // namespace
}  // namespace sluice

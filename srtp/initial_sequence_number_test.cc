#include "srtp/initial_sequence_number.h"

#include <set>

#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(InitialSequenceNumberTest, IsAnywhereBelowHalfOfTheSpace) {
  SeededRandom random(1);
  std::set<uint16_t> seen;
  for (int i = 0; i < 200'000; ++i) {
    const uint16_t sequence = InitialSequenceNumber(random).value();
    ASSERT_LT(sequence, 1u << 15);
    seen.insert(sequence);
  }
  // Of 2^15 values all but a few came up.
  EXPECT_GT(seen.size(), 32'500u);
}

}  // namespace
}  // namespace sluice

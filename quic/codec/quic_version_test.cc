#include "quic/codec/quic_version.h"

#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(QuicVersionTest, ReservedAreThoseWhoseLowNibblesAreAllTen) {
  for (const uint32_t version : {0x0a0a0a0au, 0x1a2a3a4au, 0xfafafafau, 0x5a6a7a8au}) {
    EXPECT_TRUE(IsReservedVersion(QuicVersion(version))) << version;
  }
  for (const uint32_t version : {0x0a0a0a0bu, 0x0b0a0a0au, 0xa0a0a0a0u, 0u, 0xffffffffu}) {
    EXPECT_FALSE(IsReservedVersion(QuicVersion(version))) << version;
  }
  EXPECT_FALSE(IsReservedVersion(kQuicVersion1));
  EXPECT_FALSE(IsReservedVersion(kQuicVersion2));
  EXPECT_FALSE(IsReservedVersion(kVersionNegotiation));
}

TEST(QuicVersionTest, DrawsReservedOnesOfAllKinds) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(15);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  std::set<uint32_t> drawn;
  for (int i = 0; i < 1000; ++i) {
    const QuicVersion version = DrawReservedVersion(random);
    ASSERT_TRUE(IsReservedVersion(version)) << version.value();
    drawn.insert(version.value());
  }
  EXPECT_GT(drawn.size(), 900u);
}

}  // namespace
}  // namespace sluice

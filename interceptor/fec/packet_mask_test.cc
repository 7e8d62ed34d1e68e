#include "interceptor/fec/packet_mask.h"

#include <cstdint>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<size_t> Numbers(const PacketMask& mask) {
  std::vector<size_t> numbers;
  mask.ForEach([&](size_t i) { numbers.push_back(i); });
  return numbers;
}

TEST(PacketMaskTest, IsEmptyAtFirst) {
  EXPECT_TRUE(PacketMask().empty());
  EXPECT_EQ(PacketMask().count(), 0u);
}

TEST(PacketMaskTest, ReachesFromTheFirstToThe109thPacket) {
  PacketMask mask;
  mask.Set(0);
  EXPECT_EQ(mask.Last(), 0u);
  mask.Set(63);
  EXPECT_EQ(mask.Last(), 63u);
  mask.Set(64);
  EXPECT_EQ(mask.Last(), 64u);
  mask.Set(108);
  EXPECT_EQ(mask.Last(), 108u);
  EXPECT_THAT(Numbers(mask), ElementsAre(0, 63, 64, 108));
}

TEST(PacketMaskTest, MayBeChangedWhileItIsVisited) {
  PacketMask mask;
  for (const size_t i : {3, 64, 70}) mask.Set(i);
  std::vector<size_t> visited;
  mask.ForEach([&](size_t i) {
    visited.push_back(i);
    mask.Clear(64);
    mask.Set(100);
  });
  EXPECT_THAT(visited, ElementsAre(3, 64, 70));
  EXPECT_THAT(Numbers(mask), ElementsAre(3, 70, 100));
}

TEST(PacketMaskTest, DoesWhatASetDoes) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  PacketMask mask;
  std::set<size_t> model;
  for (int i = 0; i < 5'000; ++i) {
    const size_t number = random.Below(PacketMask::kMaxPackets);
    if (random.Below(3) == 0) {
      mask.Set(number);
      model.insert(number);
    } else {
      mask.Clear(number);
      model.erase(number);
    }
    ASSERT_THAT(Numbers(mask), ElementsAreArray(model));
    ASSERT_EQ(mask.count(), model.size());
    ASSERT_EQ(mask.empty(), model.empty());
    ASSERT_EQ(mask.Has(number), model.contains(number));
    if (!model.empty()) {
      ASSERT_EQ(mask.First(), *model.begin());
      ASSERT_EQ(mask.Last(), *model.rbegin());
    }
  }
}

}  // namespace
}  // namespace sluice

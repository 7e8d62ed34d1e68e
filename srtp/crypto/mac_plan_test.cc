#include "srtp/crypto/mac_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<MacJob> JobsOf(const std::vector<size_t>& sizes) {
  std::vector<MacJob> jobs;
  for (const size_t size : sizes) {
    jobs.push_back({nullptr, nullptr, size, nullptr});
  }
  return jobs;
}

// Round numbers: a block in narrow lanes is worth four by SHA instructions, one in wide lanes five,
// and a packet two.
constexpr MacCosts kCosts = {40, 50, 20};

MacPlan PlanOf(const std::vector<size_t>& sizes) { return PlanMacs(JobsOf(sizes), kCosts); }

size_t InLanes(size_t count, size_t size) {
  return PlanOf(std::vector<size_t>(count, size)).in_lanes;
}

absl::Span<const uint8_t> OrderOf(const MacPlan& plan, size_t count) {
  return absl::MakeConstSpan(plan.order).first(count);
}

TEST(MacPlanTest, FewPacketsAreNotWorthTheLanes) {
  EXPECT_EQ(InLanes(0, 1000), 0u);
  for (size_t count = 1; count <= 4; ++count) {
    for (const size_t size : {1, 100, 1000, 1400, 65534}) {
      EXPECT_EQ(InLanes(count, size), 0u) << count << " of " << size;
    }
  }
}

// A packet of speech is over in two blocks: getting it into a lane costs as much.
TEST(MacPlanTest, TheShorterThePacketsTheMoreOfThemItTakes) {
  EXPECT_EQ(InLanes(5, 1000), 5u);
  EXPECT_EQ(InLanes(6, 200), 0u);
  EXPECT_EQ(InLanes(7, 200), 7u);
  // The wide lanes cost more, but there are more of them.
  EXPECT_EQ(InLanes(8, 140), 0u);
  EXPECT_EQ(InLanes(10, 140), 0u);
  EXPECT_EQ(InLanes(11, 140), 11u);
  EXPECT_EQ(InLanes(15, 116), 0u);
  EXPECT_EQ(InLanes(16, 116), 16u);
  EXPECT_EQ(InLanes(16, 30), 0u);
}

TEST(MacPlanTest, WhereShaInstructionsCostLessItTakesMorePackets) {
  const std::vector<MacJob> four = JobsOf(std::vector<size_t>(4, 1016));
  EXPECT_EQ(PlanMacs(four, kIntelMacCosts).in_lanes, 4u);
  EXPECT_EQ(PlanMacs(four, kAmdMacCosts).in_lanes, 0u);
  const std::vector<MacJob> eight = JobsOf(std::vector<size_t>(8, 1016));
  EXPECT_EQ(PlanMacs(eight, kAmdMacCosts).in_lanes, 8u);
}

TEST(MacPlanTest, WhatIsLeftOverAfterFullLanesIsJudgedByItself) {
  EXPECT_EQ(InLanes(17, 1000), 16u);
  EXPECT_EQ(InLanes(20, 1000), 16u);
  EXPECT_EQ(InLanes(24, 1000), 24u);
  EXPECT_EQ(InLanes(64, 1000), 64u);
}

TEST(MacPlanTest, OneLongPacketDoesNotHoldUpTheLanes) {
  EXPECT_EQ(PlanOf({1400, 100, 100, 100, 100, 100, 100, 100}).in_lanes, 0u);
}

TEST(MacPlanTest, UpToOneRoundOfLanesStaysInItsOrder) {
  EXPECT_THAT(OrderOf(PlanOf({10, 3000, 200}), 3), ElementsAre(0, 1, 2));
}

TEST(MacPlanTest, MoreThanOneRoundOfLanesGoesLongestFirst) {
  // 9 long ones among 18: the order of equals is kept.
  std::vector<size_t> sizes;
  for (size_t i = 0; i < 18; ++i) {
    sizes.push_back(i % 2 == 0 ? 100 : 1400);
  }
  const MacPlan plan = PlanOf(sizes);
  EXPECT_THAT(OrderOf(plan, sizes.size()),
              ElementsAreArray({1, 3, 5, 7, 9, 11, 13, 15, 17, 0, 2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(plan.in_lanes, 16u);
}

TEST(MacPlanTest, EveryJobIsPlannedOnceAndNoneAfterAShorterOne) {
  SeededRandom random(SeededRandom::SeedFromEnvOr(2104));
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", random.seed()));
  for (int round = 0; round < 1000; ++round) {
    std::vector<size_t> sizes(random.NextU32() % (kMaxMacPlan + 1));
    for (size_t& size : sizes) {
      size = 1 + random.NextU32() % (round % 10 == 0 ? kMaxMacDataSize : 1824);
    }
    const MacPlan plan = PlanOf(sizes);
    ASSERT_LE(plan.in_lanes, sizes.size());
    std::vector<uint8_t> seen(OrderOf(plan, sizes.size()).begin(),
                              OrderOf(plan, sizes.size()).end());
    if (sizes.size() > kMacLanes) {
      for (size_t i = 1; i < seen.size(); ++i) {
        // Sizes above 30 blocks are all one.
        ASSERT_GE(std::min<size_t>(sizes[seen[i - 1]] + 8, 29 * 64) / 64,
                  std::min<size_t>(sizes[seen[i]] + 8, 29 * 64) / 64);
      }
    }
    std::sort(seen.begin(), seen.end());
    for (size_t i = 0; i < seen.size(); ++i) {
      ASSERT_EQ(seen[i], i);
    }
  }
}

}  // namespace
}  // namespace sluice

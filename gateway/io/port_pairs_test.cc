#include "gateway/io/port_pairs.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Answer = PortPairs::Answer;
using testing::ElementsAre;

Answer Any(size_t) { return Answer::kTake; }

TEST(PortPairsTest, GivesEachPairOnceAndThenNone) {
  for (const size_t count : {size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{1000}}) {
    PortPairs pairs(count);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(pairs.Take(Any), i);
    EXPECT_EQ(pairs.taken(), count);
    EXPECT_EQ(pairs.Take(Any), std::nullopt);
    EXPECT_EQ(pairs.taken(), count);
  }
}

TEST(PortPairsTest, AFreedPairRestsUntilAllOthersHadTheirTurn) {
  PortPairs pairs(4);
  for (const size_t expected : {0, 1, 2, 3, 0, 1, 2, 3, 0}) {
    const std::optional<size_t> pair = pairs.Take(Any);
    ASSERT_EQ(pair, expected);
    pairs.GiveBack(*pair);
  }
}

TEST(PortPairsTest, RestsAlsoWhenOthersAreTaken) {
  PortPairs pairs(5);
  ASSERT_EQ(pairs.Take(Any), 0u);
  ASSERT_EQ(pairs.Take(Any), 1u);
  ASSERT_EQ(pairs.Take(Any), 2u);
  pairs.GiveBack(1);
  // 1 was freed last and so comes after 3 and 4.
  EXPECT_EQ(pairs.Take(Any), 3u);
  EXPECT_EQ(pairs.Take(Any), 4u);
  EXPECT_EQ(pairs.Take(Any), 1u);
}

TEST(PortPairsTest, OffersEachFreePairOnceAndKeepsNoneThatWasNotWanted) {
  PortPairs pairs(4);
  ASSERT_EQ(pairs.Take(Any), 0u);
  std::vector<size_t> offered;
  EXPECT_EQ(pairs.Take([&](size_t pair) {
    offered.push_back(pair);
    return Answer::kNext;
  }),
            std::nullopt);
  EXPECT_THAT(offered, ElementsAre(1, 2, 3));
  EXPECT_EQ(pairs.taken(), 1u);
}

TEST(PortPairsTest, StopsWhenTold) {
  PortPairs pairs(4);
  int offers = 0;
  EXPECT_EQ(pairs.Take([&](size_t) {
    ++offers;
    return Answer::kStop;
  }),
            std::nullopt);
  EXPECT_EQ(offers, 1);
  EXPECT_EQ(pairs.taken(), 0u);
}

TEST(PortPairsTest, NoTwoThreadsHoldOnePair) {
  constexpr size_t kPairs = 70;
  constexpr int kThreads = 4;
  constexpr int kRounds = 5'000;
  PortPairs pairs(kPairs);
  std::vector<std::atomic<int>> holders(kPairs);
  std::atomic<int> clashes{0};
  std::atomic<int> misses{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        const std::optional<size_t> pair = pairs.Take(Any);
        if (!pair.has_value()) {
          ++misses;
          continue;
        }
        if (holders[*pair].fetch_add(1) != 0) ++clashes;
        holders[*pair].fetch_sub(1);
        pairs.GiveBack(*pair);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
  // There are always more free pairs than threads.
  EXPECT_EQ(misses, 0);
  EXPECT_EQ(pairs.taken(), 0u);
}

}  // namespace
}  // namespace sluice

#include "quic/server/turn_counters.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace sluice {
namespace {

struct Pair {
  uint64_t one = 0;
  uint64_t other = 0;
};

TEST(TurnCountersTest, AreZeroBeforeTheFirstTurnAndThenAsInTheLast) {
  TurnCounters<Pair> counters;
  EXPECT_EQ(counters.Read().one, 0u);
  counters.Publish({.one = 1, .other = 2});
  counters.Publish({.one = 3, .other = 4});
  EXPECT_EQ(counters.Read().one, 3u);
  EXPECT_EQ(counters.Read().other, 4u);
}

}  // namespace
}  // namespace sluice

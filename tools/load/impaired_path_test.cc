#include "tools/load/impaired_path.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

constexpr size_t kSize = 1200;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

// Decisions of one datagram each millisecond.
std::vector<PathDecision> Row(ImpairedPath& path, int count) {
  std::vector<PathDecision> decisions;
  for (int i = 0; i < count; ++i) {
    decisions.push_back(path.Decide(Ms(i), kSize, static_cast<uint64_t>(i) + 1));
  }
  return decisions;
}

std::vector<int> NumbersOf(const std::vector<PathDecision>& row, PathVerdict verdict) {
  std::vector<int> numbers;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i].verdict == verdict) numbers.push_back(static_cast<int>(i) + 1);
  }
  return numbers;
}

// The most in a row for which `is` holds.
template <typename Is>
int LongestRun(const std::vector<PathDecision>& row, Is is) {
  int longest = 0;
  int run = 0;
  for (const PathDecision& decision : row) {
    run = is(decision) ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

bool IsLost(const PathDecision& decision) { return decision.verdict == PathVerdict::kLost; }

TEST(ImpairedPathTest, APathWithoutImpairmentsPassesAllAtOnce) {
  ImpairedPath path({}, Ms(0), 1);
  for (const PathDecision& decision : Row(path, 100)) {
    EXPECT_EQ(decision.verdict, PathVerdict::kPassed);
    EXPECT_EQ(decision.corrupted_bits, 0);
    EXPECT_FALSE(decision.again.has_value());
  }
  EXPECT_EQ(path.Decide(Ms(500), kSize, 101).at, Ms(500));
  EXPECT_EQ(path.counters().count(PathVerdict::kPassed), 101u);
  EXPECT_EQ(path.counters().bytes, DataSize::Bytes(101 * kSize));
}

TEST(ImpairedPathTest, LosesAsManyAsToldAndTheSameOnesForASeed) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  const Impairments impairments{.lost_per_million = 300'000};
  ImpairedPath first(impairments, Ms(0), seed);
  ImpairedPath again(impairments, Ms(0), seed);
  ImpairedPath other(impairments, Ms(0), seed + 1);
  const auto lost = NumbersOf(Row(first, 10'000), PathVerdict::kLost);
  EXPECT_NEAR(static_cast<double>(lost.size()), 3000, 300);
  EXPECT_EQ(NumbersOf(Row(again, 10'000), PathVerdict::kLost), lost);
  EXPECT_NE(NumbersOf(Row(other, 10'000), PathVerdict::kLost), lost);
}

TEST(ImpairedPathTest, TheSameOnesAreLostWhateverElseHappens) {
  ImpairedPath plain({.lost_per_million = 100'000}, Ms(0), 5);
  ImpairedPath much({.lost_per_million = 100'000,
                     .corrupted_per_million = 500'000,
                     .duplicated_per_million = 500'000,
                     .reordered_per_million = 500'000,
                     .jitter = TimeDelta::Millis(3)},
                    Ms(0), 5);
  EXPECT_EQ(NumbersOf(Row(plain, 2000), PathVerdict::kLost),
            NumbersOf(Row(much, 2000), PathVerdict::kLost));
}

TEST(ImpairedPathTest, NeitherLossesNorCorruptionsComeMoreThanABurstInARow) {
  const Impairments impairments{
      .lost_per_million = 700'000, .corrupted_per_million = 700'000, .max_burst = 3};
  ImpairedPath path(impairments, Ms(0), 7);
  EXPECT_EQ(LongestRun(Row(path, 5000), IsLost), 3);
  ImpairedPath corrupting({.corrupted_per_million = 700'000, .max_burst = 3}, Ms(0), 7);
  EXPECT_EQ(LongestRun(Row(corrupting, 5000),
                       [](const PathDecision& decision) { return decision.corrupted_bits != 0; }),
            3);
  ImpairedPath boundless({.lost_per_million = 700'000}, Ms(0), 7);
  EXPECT_GT(LongestRun(Row(boundless, 5000), IsLost), 3);
}

TEST(ImpairedPathTest, CorruptionChangesOneByteOfTheDatagram) {
  ImpairedPath path({.corrupted_per_million = 1'000'000}, Ms(0), 1);
  for (size_t size = 1; size < 100; ++size) {
    const PathDecision decision = path.Decide(Ms(0), size, 1);
    EXPECT_LT(decision.corrupted_at, size);
    EXPECT_NE(decision.corrupted_bits, 0);
  }
  // Nothing to corrupt.
  EXPECT_EQ(path.Decide(Ms(0), 0, 1).corrupted_bits, 0);
  EXPECT_EQ(path.counters().corrupted, 99u);
}

TEST(ImpairedPathTest, DelayComesOnTopAndJitterKeepsTheOrder) {
  ImpairedPath path({.delay = TimeDelta::Millis(750), .jitter = TimeDelta::Millis(40)}, Ms(0), 2);
  Timestamp last = Timestamp::MinusInfinity();
  bool jitters = false;
  for (int i = 0; i < 500; ++i) {
    const Timestamp at = path.Decide(Ms(i), kSize, 1).at;
    EXPECT_GE(at, Ms(i + 750));
    EXPECT_LE(at, Ms(i + 790));
    EXPECT_GE(at, last);
    jitters = jitters || at != Ms(i + 750);
    last = at;
  }
  EXPECT_TRUE(jitters);
}

TEST(ImpairedPathTest, AReorderedOneIsLateAndHoldsNobodyUp) {
  ImpairedPath path({.reordered_per_million = 200'000, .reordered_by = TimeDelta::Millis(9)}, Ms(0),
                    4);
  uint64_t late = 0;
  for (int i = 0; i < 1000; ++i) {
    const Timestamp at = path.Decide(Ms(i), kSize, 1).at;
    EXPECT_TRUE(at == Ms(i) || at == Ms(i + 9)) << i;
    late += at == Ms(i + 9) ? 1 : 0;
  }
  EXPECT_EQ(late, path.counters().reordered);
  EXPECT_NEAR(static_cast<double>(late), 200, 60);
}

TEST(ImpairedPathTest, ADuplicateArrivesWithTheFirst) {
  ImpairedPath path({.duplicated_per_million = 1'000'000, .delay = TimeDelta::Millis(5)}, Ms(0), 1);
  const PathDecision decision = path.Decide(Ms(10), kSize, 1);
  EXPECT_EQ(decision.at, Ms(15));
  EXPECT_EQ(decision.again, Ms(15));
  EXPECT_EQ(path.counters().duplicated, 1u);
}

// 1000 bytes each take a millisecond; 2000 may wait.
TEST(ImpairedPathTest, ASlowLinkSendsOneAfterAnotherAndLosesWhatItsQueueHasNoRoomFor) {
  ImpairedPath path({.rate = DataRate::KilobitsPerSec(8000), .queue = DataSize::Bytes(2000)}, Ms(0),
                    1);
  EXPECT_EQ(path.Decide(Ms(0), 1000, 1).at, Ms(1));
  EXPECT_EQ(path.Decide(Ms(0), 1000, 2).at, Ms(2));
  EXPECT_EQ(path.Decide(Ms(0), 1000, 3).verdict, PathVerdict::kQueueFull);
  EXPECT_EQ(path.Decide(Ms(1), 1000, 4).at, Ms(3));
  EXPECT_EQ(path.Decide(Ms(10), 1000, 5).at, Ms(11));
  EXPECT_EQ(path.counters().count(PathVerdict::kQueueFull), 1u);
}

TEST(ImpairedPathTest, AnIdleLinkTakesWhatIsLongerThanItsQueue) {
  ImpairedPath path({.rate = DataRate::KilobitsPerSec(8000), .queue = DataSize::Bytes(100)}, Ms(0),
                    1);
  EXPECT_EQ(path.Decide(Ms(0), 1000, 1).at, Ms(1));
  EXPECT_EQ(path.Decide(Ms(0), 1, 2).verdict, PathVerdict::kQueueFull);
  EXPECT_EQ(path.Decide(Ms(1), 1000, 3).at, Ms(2));
}

TEST(ImpairedPathTest, HolesComeAtTheEndOfEachPeriodFromTheBeginningOn) {
  ImpairedPath path({.hole_every = TimeDelta::Millis(7000), .hole = TimeDelta::Millis(2000)},
                    Ms(100), 1);
  const auto verdict = [&](int64_t ms) { return path.Decide(Ms(100 + ms), kSize, 1).verdict; };
  EXPECT_EQ(verdict(0), PathVerdict::kPassed);
  EXPECT_EQ(verdict(4999), PathVerdict::kPassed);
  EXPECT_EQ(verdict(5000), PathVerdict::kInHole);
  EXPECT_EQ(verdict(6999), PathVerdict::kInHole);
  EXPECT_EQ(verdict(7000), PathVerdict::kPassed);
  EXPECT_EQ(verdict(12'000), PathVerdict::kInHole);
  EXPECT_EQ(verdict(14'000), PathVerdict::kPassed);
}

TEST(ImpairedPathTest, DropsByNumber) {
  ImpairedPath path({.dropped_from = 2, .dropped_to = 7}, Ms(0), 1);
  EXPECT_THAT(NumbersOf(Row(path, 20), PathVerdict::kDropped), ElementsAre(2, 3, 4, 5, 6, 7));
  EXPECT_EQ(path.counters().count(PathVerdict::kDropped), 6u);
}

// The clock of whoever asks may stand still, and be anywhere.
TEST(ImpairedPathTest, TimesFarAwayAreNoTrouble) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(11);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  ImpairedPath path({.lost_per_million = 10'000,
                     .duplicated_per_million = 10'000,
                     .delay = TimeDelta::Millis(1),
                     .rate = DataRate::KilobitsPerSec(100),
                     .hole_every = TimeDelta::Millis(10),
                     .hole = TimeDelta::Millis(1)},
                    Timestamp::Zero(), seed);
  Timestamp now = Timestamp::Zero();
  for (int i = 0; i < 10'000; ++i) {
    now += TimeDelta::Micros(static_cast<int64_t>(random.Below(uint64_t{1} << random.Below(45))));
    const PathDecision decision = path.Decide(now, random.Below(2048), 1);
    if (decision.verdict == PathVerdict::kPassed) {
      EXPECT_GT(decision.at, now);
    }
  }
}

}  // namespace
}  // namespace sluice

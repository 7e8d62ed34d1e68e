#include "interceptor/twcc/arrival_log.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using enum ArrivalVerdict;

// What is to be reported: low 16 bits and milliseconds. Marks it reported.
std::vector<std::pair<int, int64_t>> Report(ArrivalLog& log) {
  std::vector<std::pair<int, int64_t>> result;
  for (int64_t i = log.first_unreported(); i < log.end(); ++i) {
    if (const std::optional<Timestamp> arrival = log.arrival(i)) {
      result.emplace_back(static_cast<uint16_t>(i), arrival->us() / 1000);
    }
  }
  log.MarkReported(log.end());
  return result;
}

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

TEST(ArrivalLogTest, CapacitiesArePowersOfTwo) {
  for (const size_t capacity : {64, 128, 2048, 32768}) {
    EXPECT_TRUE(ArrivalLog::IsValidCapacity(capacity)) << capacity;
  }
  for (const size_t capacity : {0, 1, 32, 63, 65, 100, 65536}) {
    EXPECT_FALSE(ArrivalLog::IsValidCapacity(capacity)) << capacity;
  }
}

TEST(ArrivalLogTest, AnEmptyLogHasNothingToReport) {
  ArrivalLog log(64);
  EXPECT_FALSE(log.HasNews());
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.first_unreported(), log.end());
}

TEST(ArrivalLogTest, TheFirstNumberIsTheBase) {
  for (const uint16_t first : {0, 1, 700, 0x7FFF, 0x8000, 0xFFFF}) {
    ArrivalLog log(64);
    EXPECT_EQ(log.Record(first, Ms(5)), kRecorded);
    EXPECT_EQ(log.first_unreported(), first);
    EXPECT_THAT(Report(log), ElementsAre(Pair(first, 5)));
    EXPECT_FALSE(log.HasNews());
  }
}

TEST(ArrivalLogTest, GapsAreNotArrivals) {
  ArrivalLog log(64);
  log.Record(10, Ms(1));
  log.Record(13, Ms(2));
  EXPECT_THAT(Report(log), ElementsAre(Pair(10, 1), Pair(13, 2)));
  // A gap where older arrivals stood in the same places.
  log.Record(70, Ms(3));
  log.Record(80, Ms(4));
  EXPECT_THAT(Report(log), ElementsAre(Pair(70, 3), Pair(80, 4)));
}

TEST(ArrivalLogTest, NumbersWrap) {
  ArrivalLog log(64);
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_EQ(log.Record(static_cast<uint16_t>(65'530 + i), Ms(i)), kRecorded);
  }
  EXPECT_EQ(log.end(), 65'530 + 200'000);
}

TEST(ArrivalLogTest, TheFirstArrivalOfADuplicateStands) {
  ArrivalLog log(64);
  log.Record(10, Ms(1));
  log.Record(11, Ms(2));
  EXPECT_EQ(log.Record(11, Ms(9)), kDuplicate);
  EXPECT_EQ(log.Record(10, Ms(9)), kDuplicate);
  EXPECT_EQ(log.duplicates(), 2u);
  EXPECT_THAT(Report(log), ElementsAre(Pair(10, 1), Pair(11, 2)));
  EXPECT_EQ(log.Record(11, Ms(10)), kDuplicate);
  EXPECT_FALSE(log.HasNews()) << "nothing is repeated for a duplicate";
}

TEST(ArrivalLogTest, ALateNumberIsReportedWithAllThatCameSince) {
  ArrivalLog log(64);
  log.Record(10, Ms(1));
  log.Record(11, Ms(2));
  log.Record(13, Ms(3));
  log.Record(14, Ms(4));
  Report(log);
  log.Record(12, Ms(5));
  EXPECT_THAT(Report(log), ElementsAre(Pair(12, 5), Pair(13, 3), Pair(14, 4)));
}

TEST(ArrivalLogTest, ANumberBeforeTheFirstOneIsRecordedToo) {
  ArrivalLog log(64);
  log.Record(0, Ms(2));
  EXPECT_EQ(log.Record(0xFFFF, Ms(3)), kRecorded);
  EXPECT_THAT(Report(log), ElementsAre(Pair(0xFFFF, 3), Pair(0, 2)));
}

TEST(ArrivalLogTest, ASingleFarNumberChangesNothing) {
  for (const uint16_t far : {40'000, 10'200, 42'768}) {
    ArrivalLog log(64);
    log.Record(10'000, Ms(1));
    EXPECT_EQ(log.Record(far, Ms(2)), kFar);
    EXPECT_EQ(log.Record(10'001, Ms(3)), kRecorded);
    EXPECT_EQ(log.Record(far, Ms(4)), kFar) << "not the second in a row";
    EXPECT_EQ(log.far(), 2u);
    EXPECT_EQ(log.restarts(), 0u);
    EXPECT_THAT(Report(log), ElementsAre(Pair(10'000, 1), Pair(10'001, 3)));
  }
}

TEST(ArrivalLogTest, TheSameFarNumberTwiceIsNoRestart) {
  ArrivalLog log(64);
  log.Record(10'000, Ms(1));
  EXPECT_EQ(log.Record(50, Ms(2)), kFar);
  EXPECT_EQ(log.Record(50, Ms(2)), kFar);
  EXPECT_EQ(log.restarts(), 0u);
}

TEST(ArrivalLogTest, TwoFarNumbersInARowBeginAnewInEitherDirection) {
  for (const uint16_t far : {50, 20'000, 42'768, 65'535}) {
    ArrivalLog log(64);
    log.Record(10'000, Ms(1));
    Report(log);
    const int64_t end = log.end();
    EXPECT_EQ(log.Record(far, Ms(2)), kFar);
    EXPECT_EQ(log.Record(static_cast<uint16_t>(far + 2), Ms(3)), kRecorded);
    EXPECT_EQ(log.restarts(), 1u);
    EXPECT_GT(log.first_unreported(), end) << "unwrapped numbers go on";
    EXPECT_THAT(Report(log), ElementsAre(Pair(far, 2), Pair(static_cast<uint16_t>(far + 2), 3)));
  }
}

TEST(ArrivalLogTest, WhatFallsOutUnreportedIsCounted) {
  ArrivalLog log(64);
  for (uint16_t i = 0; i < 100; ++i) {
    log.Record(i, Ms(i));
    EXPECT_EQ(log.IsHalfFull(), i >= 31);
  }
  const auto report = Report(log);
  ASSERT_EQ(report.size(), 64u);
  EXPECT_EQ(report.front().first, 36);
  EXPECT_EQ(log.overrun(), 36u);
}

TEST(ArrivalLogTest, APartOfAReportLeavesTheRest) {
  ArrivalLog log(64);
  for (uint16_t i = 0; i < 10; ++i) {
    log.Record(i, Ms(i));
  }
  log.MarkReported(6);
  EXPECT_TRUE(log.HasNews());
  EXPECT_EQ(log.first_unreported(), 6);
  EXPECT_EQ(Report(log).size(), 4u);
  EXPECT_FALSE(log.HasNews());
}

TEST(ArrivalLogTest, AClearedLogIsAsNew) {
  ArrivalLog log(64);
  log.Record(40'000, Ms(1));
  log.Record(40'001, Ms(1));
  log.Clear();
  EXPECT_FALSE(log.HasNews());
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.Record(7, Ms(2)), kRecorded);
  EXPECT_THAT(Report(log), ElementsAre(Pair(7, 2)));
}

// Against a map without bounds, for numbers that never jump.
TEST(ArrivalLogTest, DoesWhatAMapWouldDo) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(11);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  ArrivalLog log(256);
  std::map<int64_t, int64_t> model;
  int64_t newest = 60'000;
  int64_t next = newest;
  log.Record(static_cast<uint16_t>(newest), Ms(0));
  model[newest] = 0;
  for (int64_t step = 1; step < 100'000; ++step) {
    if (random.Below(50) == 0) {
      const int64_t begin = std::max(next, newest - 255);
      ASSERT_EQ(log.first_unreported(), begin) << step;
      ASSERT_EQ(log.end(), newest + 1) << step;
      std::vector<std::pair<int, int64_t>> expected;
      for (auto it = model.lower_bound(begin); it != model.end(); ++it) {
        expected.emplace_back(static_cast<uint16_t>(it->first), it->second);
      }
      ASSERT_EQ(Report(log), expected) << step;
      next = newest + 1;
      continue;
    }
    // Mostly the next one, sometimes a gap, sometimes one of the last 200.
    const uint64_t kind = random.Below(10);
    const int64_t sequence = kind < 6   ? newest + 1
                             : kind < 8 ? newest + 2 + static_cast<int64_t>(random.Below(100))
                                        : newest - static_cast<int64_t>(random.Below(200));
    const bool fresh = model.emplace(sequence, step).second;
    ASSERT_EQ(log.Record(static_cast<uint16_t>(sequence), Ms(step)), fresh ? kRecorded : kDuplicate)
        << step;
    newest = std::max(newest, sequence);
    if (fresh) {
      next = std::min(next, sequence);
    }
  }
  EXPECT_EQ(log.restarts(), 0u);
}

}  // namespace
}  // namespace sluice

#include "interceptor/report/reception_statistics.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using enum ReceptionVerdict;

SequenceNumber Seq(int64_t n) { return SequenceNumber(static_cast<uint16_t>(n)); }

// first, first + 1, ... , last.
void Receive(ReceptionStatistics& statistics, int64_t first, int64_t last) {
  for (int64_t n = first; n <= last; ++n) {
    ASSERT_EQ(statistics.Record(Seq(n)), kNewest) << n;
  }
}

TEST(ReceptionStatisticsTest, NothingCameAndNothingIsLost) {
  ReceptionStatistics statistics;
  EXPECT_FALSE(statistics.started());
  EXPECT_FALSE(statistics.heard());
  EXPECT_EQ(statistics.expected(), 0u);
  EXPECT_EQ(statistics.cumulative_lost(), 0);
  EXPECT_EQ(statistics.EndInterval(), 0);
}

TEST(ReceptionStatisticsTest, AnIntervalWithoutPacketsHasNoLoss) {
  ReceptionStatistics statistics;
  Receive(statistics, 10, 19);
  EXPECT_EQ(statistics.EndInterval(), 0);
  EXPECT_FALSE(statistics.heard());
  EXPECT_EQ(statistics.EndInterval(), 0);
  // A late one only: nothing more was expected.
  EXPECT_EQ(statistics.Record(Seq(9)), kLate);
  EXPECT_TRUE(statistics.heard());
  EXPECT_EQ(statistics.EndInterval(), 0);
}

TEST(ReceptionStatisticsTest, FractionsAreOfTheirInterval) {
  ReceptionStatistics statistics;
  Receive(statistics, 0, 9);
  EXPECT_EQ(statistics.EndInterval(), 0);
  Receive(statistics, 15, 19);
  EXPECT_EQ(statistics.EndInterval(), 128);
  Receive(statistics, 20, 29);
  EXPECT_EQ(statistics.EndInterval(), 0);
  EXPECT_EQ(statistics.cumulative_lost(), 5);
}

TEST(ReceptionStatisticsTest, NearlyAllLostIsNotNothing) {
  ReceptionStatistics statistics;
  Receive(statistics, 0, 0);
  statistics.EndInterval();
  EXPECT_EQ(statistics.Record(Seq(2999)), kNewest);
  EXPECT_EQ(statistics.EndInterval(), 255);
}

TEST(ReceptionStatisticsTest, LateArrivalsReduceTheLoss) {
  ReceptionStatistics statistics;
  Receive(statistics, 0, 4);
  EXPECT_EQ(statistics.Record(Seq(8)), kNewest);
  EXPECT_EQ(statistics.cumulative_lost(), 3);
  EXPECT_EQ(statistics.Record(Seq(6)), kLate);
  EXPECT_EQ(statistics.cumulative_lost(), 2);
  EXPECT_EQ(statistics.late(), 1u);
}

TEST(ReceptionStatisticsTest, DuplicatesMakeTheLossNegative) {
  ReceptionStatistics statistics;
  Receive(statistics, 0, 4);
  EXPECT_EQ(statistics.Record(Seq(4)), kDuplicate);
  EXPECT_EQ(statistics.Record(Seq(0)), kDuplicate);
  EXPECT_EQ(statistics.cumulative_lost(), -2);
  EXPECT_EQ(statistics.duplicates(), 2u);
  EXPECT_EQ(statistics.received(), 7u);
  EXPECT_EQ(statistics.EndInterval(), 0);
}

TEST(ReceptionStatisticsTest, TheNewestOnceMoreIsADuplicateAndNoRound) {
  ReceptionStatistics statistics;
  Receive(statistics, 0xFFFF, 0xFFFF);
  EXPECT_EQ(statistics.Record(Seq(0xFFFF)), kDuplicate);
  EXPECT_EQ(statistics.extended_highest_sequence(), 0xFFFFu);
  EXPECT_EQ(statistics.expected(), 1u);
}

TEST(ReceptionStatisticsTest, NumbersThatWrapAreExtended) {
  ReceptionStatistics statistics;
  Receive(statistics, 0xFFFE, 0x10001);
  EXPECT_EQ(statistics.extended_highest_sequence(), 0x10001u);
  EXPECT_EQ(statistics.expected(), 4u);
  EXPECT_EQ(statistics.Record(Seq(0xFFFF)), kDuplicate);
  EXPECT_EQ(statistics.cumulative_lost(), -1);
}

TEST(ReceptionStatisticsTest, PacketsInFrontOfTheFirstAreLate) {
  ReceptionStatistics statistics;
  Receive(statistics, 3, 3);
  EXPECT_EQ(statistics.Record(Seq(1)), kLate);
  EXPECT_EQ(statistics.Record(Seq(0xFFFF)), kLate);
  EXPECT_EQ(statistics.Record(Seq(0xFFFF)), kDuplicate);
  EXPECT_EQ(statistics.expected(), 1u);
  EXPECT_EQ(statistics.received(), 4u);
}

TEST(ReceptionStatisticsTest, LossBeyondTwentyFourBitsIsTheMostThatCanBeSaid) {
  ReceptionStatistics statistics;
  Receive(statistics, 0, 0);
  for (int64_t n = 2999; n < 3 * 0x800000; n += 2999) {
    ASSERT_EQ(statistics.Record(Seq(n)), kNewest);
  }
  EXPECT_GT(statistics.lost(), 0x800000);
  EXPECT_EQ(statistics.cumulative_lost(), 0x7FFFFF);
  ReceptionStatistics repeated;
  for (int i = 0; i < 0x800003; ++i) {
    (void)repeated.Record(Seq(5));
  }
  EXPECT_EQ(repeated.lost(), -0x800002);
  EXPECT_EQ(repeated.cumulative_lost(), -0x800000);
}

TEST(ReceptionStatisticsTest, OneFarPacketChangesNothing) {
  ReceptionStatistics statistics;
  Receive(statistics, 1000, 1009);
  EXPECT_EQ(statistics.Record(Seq(30000)), kFar);
  EXPECT_EQ(statistics.Record(Seq(1010)), kNewest);
  EXPECT_EQ(statistics.Record(Seq(899)), kFar);
  EXPECT_EQ(statistics.received(), 11u);
  EXPECT_EQ(statistics.cumulative_lost(), 0);
  EXPECT_EQ(statistics.extended_highest_sequence(), 1010u);
}

TEST(ReceptionStatisticsTest, TheEdgesOfFarAreWhereTheAppendixHasThem) {
  ReceptionStatistics statistics;
  Receive(statistics, 1000, 1000);
  EXPECT_EQ(statistics.Record(Seq(1000 + 3000)), kFar);
  EXPECT_EQ(statistics.Record(Seq(1000 - 100)), kFar);
  EXPECT_EQ(statistics.Record(Seq(1000 - 99)), kLate);
  EXPECT_EQ(statistics.Record(Seq(1000 + 2999)), kNewest);
}

TEST(ReceptionStatisticsTest, TwoInARowFarAwayAreARestartAndLossIsKept) {
  ReceptionStatistics statistics;
  Receive(statistics, 50000, 50001);
  Receive(statistics, 50004, 50004);
  ASSERT_EQ(statistics.cumulative_lost(), 2);
  EXPECT_EQ(statistics.Record(Seq(7)), kFar);
  EXPECT_EQ(statistics.Record(Seq(8)), kRestarted);
  EXPECT_EQ(statistics.restarts(), 1u);
  EXPECT_EQ(statistics.cumulative_lost(), 2);
  // One round further: the extended number never goes back.
  EXPECT_EQ(statistics.extended_highest_sequence(), 0x10008u);
  EXPECT_EQ(statistics.Record(Seq(9)), kNewest);
  EXPECT_EQ(statistics.EndInterval(), 2 * 256 / 7);
}

// Numbers that are only slightly out of order, against a map of what came.
TEST(ReceptionStatisticsTest, CountsLikeAMapOfAllNumbers) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3551);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 20; ++round) {
    ReceptionStatistics statistics;
    std::map<int64_t, int> came;
    const auto base = static_cast<int64_t>(random.Below(0x10000));
    int64_t highest = base;
    uint64_t expected_prior = 0, received_prior = 0, received = 0, duplicates = 0;
    for (int i = 0; i < 20000; ++i) {
      int64_t n = base;
      if (i > 0) {
        const uint64_t what = random.Below(20);
        n = what < 14   ? highest + 1
            : what < 17 ? highest + 1 + static_cast<int64_t>(random.Below(what == 14 ? 2900 : 5))
                        : highest - static_cast<int64_t>(random.Below(100));
      }
      (void)statistics.Record(Seq(n));
      highest = std::max(highest, n);
      ++received;
      duplicates += ++came[n] > 1 ? 1 : 0;
      const uint64_t expected = static_cast<uint64_t>(highest - base) + 1;
      ASSERT_EQ(statistics.expected(), expected);
      ASSERT_EQ(statistics.received(), received);
      ASSERT_EQ(statistics.duplicates(), duplicates);
      ASSERT_EQ(statistics.lost(), static_cast<int64_t>(expected - received));
      ASSERT_EQ(statistics.extended_highest_sequence(), static_cast<uint32_t>(highest));
      if (random.Below(50) == 0) {
        const double expected_interval = static_cast<double>(expected - expected_prior);
        const double lost = expected_interval - static_cast<double>(received - received_prior);
        const double fraction = expected_interval > 0 && lost > 0 ? lost / expected_interval : 0;
        ASSERT_EQ(statistics.EndInterval(),
                  static_cast<uint8_t>(std::min(fraction * 256 + 1e-9, 255.0)));
        expected_prior = expected;
        received_prior = received;
      }
    }
  }
}

}  // namespace
}  // namespace sluice

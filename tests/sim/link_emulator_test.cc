#include "tests/sim/link_emulator.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

constexpr DataSize kSize = DataSize::Bytes(1000);

struct Arrival {
  int item;
  Timestamp at;
  friend bool operator==(const Arrival&, const Arrival&) = default;
};

// Lets everything arrive by `end`, in steps of a millisecond.
std::vector<Arrival> Drain(LinkEmulator<int>& link, Timestamp end) {
  std::vector<Arrival> arrivals;
  while (link.NextArrival() <= end) {
    const Timestamp at = link.NextArrival();
    while (const std::optional<int> item = link.Receive(at)) {
      arrivals.push_back({*item, at});
    }
  }
  return arrivals;
}

// `count` datagrams, one per millisecond.
std::vector<Arrival> SendAll(LinkEmulator<int>& link, int count) {
  std::vector<Arrival> arrivals;
  for (int i = 0; i < count; ++i) {
    link.Send(Timestamp::Millis(i), kSize, i);
    while (const std::optional<int> item = link.Receive(Timestamp::Millis(i))) {
      arrivals.push_back({*item, Timestamp::Millis(i)});
    }
  }
  for (const Arrival& arrival : Drain(link, Timestamp::Seconds(10'000))) {
    arrivals.push_back(arrival);
  }
  return arrivals;
}

TEST(LinkEmulatorTest, AnIdealLinkDeliversAtOnceAndInOrder) {
  SeededRandom random(1);
  LinkEmulator<int> link({}, random);
  link.Send(Timestamp::Zero(), kSize, 1);
  link.Send(Timestamp::Zero(), kSize, 2);
  EXPECT_EQ(link.Receive(Timestamp::Zero()), 1);
  EXPECT_EQ(link.Receive(Timestamp::Zero()), 2);
  EXPECT_EQ(link.Receive(Timestamp::Zero()), std::nullopt);
  EXPECT_EQ(link.in_flight(), 0u);
}

TEST(LinkEmulatorTest, TheBottleneckSpacesDatagramsByTheirSize) {
  SeededRandom random(1);
  // 1000 bytes take 8 ms.
  LinkEmulator<int> link({.rate = DataRate::KilobitsPerSec(1000), .delay = TimeDelta::Millis(50)},
                         random);
  link.Send(Timestamp::Zero(), kSize, 1);
  link.Send(Timestamp::Zero(), kSize, 2);
  link.Send(Timestamp::Zero(), DataSize::Bytes(500), 3);
  EXPECT_EQ(link.QueueDelay(Timestamp::Millis(2)), TimeDelta::Millis(18));
  EXPECT_THAT(Drain(link, Timestamp::Seconds(1)),
              ElementsAre(Arrival{1, Timestamp::Millis(58)}, Arrival{2, Timestamp::Millis(66)},
                          Arrival{3, Timestamp::Millis(70)}));
}

TEST(LinkEmulatorTest, AnotherRateAppliesToWhatIsStillWaiting) {
  SeededRandom random(1);
  LinkEmulator<int> link({.rate = DataRate::KilobitsPerSec(1000)}, random);
  link.Send(Timestamp::Zero(), kSize, 1);
  link.Send(Timestamp::Zero(), kSize, 2);
  // Half of the first one is through; at half the rate the other half takes 8 ms.
  link.SetRate(Timestamp::Millis(4), DataRate::KilobitsPerSec(500));
  EXPECT_EQ(link.QueueDelay(Timestamp::Millis(4)), TimeDelta::Millis(24));
  EXPECT_THAT(Drain(link, Timestamp::Seconds(1)),
              ElementsAre(Arrival{1, Timestamp::Millis(12)}, Arrival{2, Timestamp::Millis(28)}));
}

TEST(LinkEmulatorTest, AFullQueueDropsAtTheTail) {
  SeededRandom random(1);
  LinkEmulator<int> link({.rate = DataRate::KilobitsPerSec(1000), .queue = 2 * kSize}, random);
  for (int i = 0; i < 5; ++i) {
    link.Send(Timestamp::Zero(), kSize, i);
  }
  EXPECT_EQ(link.overflowed(), 3u);
  EXPECT_THAT(Drain(link, Timestamp::Seconds(1)),
              ElementsAre(Arrival{0, Timestamp::Millis(8)}, Arrival{1, Timestamp::Millis(16)}));
}

TEST(LinkEmulatorTest, ADatagramLargerThanTheQueuePassesAnEmptyOne) {
  SeededRandom random(1);
  LinkEmulator<int> link({.rate = DataRate::KilobitsPerSec(8), .queue = DataSize::Bytes(10)},
                         random);
  link.Send(Timestamp::Zero(), kSize, 1);
  EXPECT_EQ(link.Receive(Timestamp::Seconds(1)), 1);
}

TEST(LinkEmulatorTest, LosesAndDuplicatesAsManyAsItWasTold) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(7);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  LinkEmulator<int> link({.lost_permille = 100, .duplicated_permille = 50}, random);
  const std::vector<Arrival> arrivals = SendAll(link, 20'000);
  EXPECT_NEAR(static_cast<double>(link.lost()), 2000, 250);
  EXPECT_NEAR(static_cast<double>(link.duplicated()), 900, 180);
  EXPECT_EQ(arrivals.size(), 20'000 - link.lost() + link.duplicated());
}

TEST(LinkEmulatorTest, BurstLossComesInRunsOfTheLengthToldToIt) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(7);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  // A fifth of the time bad; a run of losses has five datagrams on the average.
  LinkEmulator<int> link(
      {.burst_loss = {.to_bad_permille = 50, .to_good_permille = 200, .lost_permille = 1000}},
      random);
  const std::vector<Arrival> arrivals = SendAll(link, 50'000);
  int runs = 0;
  for (size_t i = 1; i < arrivals.size(); ++i) {
    runs += arrivals[i].item != arrivals[i - 1].item + 1;
  }
  EXPECT_NEAR(static_cast<double>(link.lost()), 10'000, 1000);
  EXPECT_NEAR(static_cast<double>(link.lost()) / runs, 5.0, 0.6);
}

TEST(LinkEmulatorTest, JitterStaysInItsRangeAndReordersOnlyWhereItMay) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(7);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  for (const bool reorders : {true, false}) {
    SeededRandom random(seed);
    LinkEmulator<int> link({.delay = TimeDelta::Millis(10),
                            .jitter = TimeDelta::Millis(20),
                            .jitter_reorders = reorders},
                           random);
    for (int i = 0; i < 1000; ++i) {
      link.Send(Timestamp::Millis(i), kSize, i);
    }
    const std::vector<Arrival> arrivals = Drain(link, Timestamp::Seconds(10));
    ASSERT_EQ(arrivals.size(), 1000u);
    for (const Arrival& arrival : arrivals) {
      const TimeDelta took = arrival.at - Timestamp::Millis(arrival.item);
      ASSERT_GE(took, TimeDelta::Millis(10));
      ASSERT_LE(took, TimeDelta::Millis(30));
    }
    const bool in_order =
        std::is_sorted(arrivals.begin(), arrivals.end(),
                       [](const Arrival& a, const Arrival& b) { return a.item < b.item; });
    EXPECT_EQ(in_order, !reorders);
  }
}

TEST(LinkEmulatorTest, ReorderedDatagramsComeLaterByTheirTime) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(7);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  LinkEmulator<int> link({.reordered_permille = 100, .reordered_by = TimeDelta::Millis(3)}, random);
  const std::vector<Arrival> arrivals = SendAll(link, 10'000);
  ASSERT_EQ(arrivals.size(), 10'000u);
  std::set<TimeDelta> taken;
  int late = 0;
  for (const Arrival& arrival : arrivals) {
    const TimeDelta took = arrival.at - Timestamp::Millis(arrival.item);
    taken.insert(took);
    late += took > TimeDelta::Zero();
  }
  EXPECT_THAT(taken, ElementsAre(TimeDelta::Zero(), TimeDelta::Millis(3)));
  EXPECT_NEAR(late, 1000, 150);
}

TEST(LinkEmulatorTest, TheSameSeedGivesTheSameArrivals) {
  const LinkOptions options = {.rate = DataRate::KilobitsPerSec(5000),
                               .lost_permille = 30,
                               .burst_loss = {.to_bad_permille = 20, .to_good_permille = 300},
                               .duplicated_permille = 20,
                               .delay = TimeDelta::Millis(5),
                               .jitter = TimeDelta::Millis(7),
                               .reordered_permille = 10,
                               .reordered_by = TimeDelta::Millis(9)};
  SeededRandom first_random(3);
  SeededRandom second_random(3);
  LinkEmulator<int> first(options, first_random);
  LinkEmulator<int> second(options, second_random);
  EXPECT_EQ(SendAll(first, 2000), SendAll(second, 2000));
}

}  // namespace
}  // namespace sluice

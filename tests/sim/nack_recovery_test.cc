// Video over a lossy link with NACK and retransmissions at both ends, in virtual time: how many of
// the lost packets come back, and how soon. Each test prints its figures.

#include <cstdint>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "tests/sim/repair_scenario.h"

namespace sluice {
namespace {

RepairOutcome Simulate(const char* name, const RepairScenario& scenario) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(11);
  std::cout << "SLUICE_TEST_SEED=" << seed << "\n";
  SeededRandom random(seed);
  RepairOutcome outcome = RunRepair(scenario, random);
  std::cout << absl::StrCat(name, ": ", outcome.sent, " packets, ", outcome.lost,
                            " lost, recovered within 3 round trips ", outcome.soon_percent(),
                            " %, at all ", outcome.recovered_percent(), " %, slowest ",
                            outcome.slowest, "; asked for ", outcome.generator.requests_sent,
                            ", repeated ", outcome.responder.retransmitted, ", repeated in vain ",
                            outcome.generator.restored_duplicates, "\n");
  return outcome;
}

TEST(NackRecoveryTest, FivePercentLossIsRecoveredWithinThreeRoundTrips) {
  RepairScenario scenario;
  scenario.forward.lost_permille = 50;
  const RepairOutcome outcome = Simulate("5 % loss", scenario);
  EXPECT_GT(outcome.lost, 2000u);
  EXPECT_GE(outcome.soon_percent(), 99.0);
  EXPECT_EQ(outcome.recovered, outcome.lost);
  EXPECT_EQ(outcome.doubled, 0u);
  // Each loss is repeated once, and once more for each repetition that is lost.
  EXPECT_LE(outcome.responder.retransmitted, outcome.lost * 11 / 10);
}

TEST(NackRecoveryTest, LossBothWaysCostsAFewMoreRoundTrips) {
  RepairScenario scenario;
  scenario.forward.lost_permille = 50;
  scenario.back.lost_permille = 50;
  const RepairOutcome outcome = Simulate("5 % loss both ways", scenario);
  // Two attempts fit into three round trips, each with two chances to get lost: 99.05 %.
  EXPECT_GE(outcome.soon_percent(), 98.3);
  EXPECT_EQ(outcome.recovered, outcome.lost);
}

TEST(NackRecoveryTest, LossInRunsIsRecoveredAsWell) {
  RepairScenario scenario;
  // Runs of five packets; 5 % in all.
  scenario.forward.burst_loss = {
      .to_bad_permille = 10, .to_good_permille = 200, .lost_permille = 1000};
  const RepairOutcome outcome = Simulate("5 % loss in runs", scenario);
  EXPECT_GT(outcome.lost, 1500u);
  EXPECT_GE(outcome.soon_percent(), 98.5);
  EXPECT_EQ(outcome.recovered, outcome.lost);
}

TEST(NackRecoveryTest, ReorderingIsNotAskedFor) {
  RepairScenario scenario;
  scenario.forward.reordered_permille = 50;
  // The packet behind it comes first, and it follows before the hold-off is over.
  scenario.forward.reordered_by = RepairScenario::kSpacing + TimeDelta::Millis(2);
  const RepairOutcome outcome = Simulate("5 % reordered", scenario);
  EXPECT_EQ(outcome.lost, 0u);
  EXPECT_GT(outcome.generator.reordered, 2000u);
  EXPECT_EQ(outcome.generator.requests_sent, 0u);
}

TEST(NackRecoveryTest, HeavyLossIsRepairedWithinTheBudgetOnly) {
  RepairScenario scenario;
  scenario.forward.lost_permille = 400;
  scenario.duration = TimeDelta::Seconds(60);
  const RepairOutcome outcome = Simulate("40 % loss", scenario);
  // A fifth of what is sent, what is saved at the start and 32 kbit/s.
  const uint64_t share = outcome.sent / 5 + 64 * 1024 / RepairScenario::kPayloadSize + 4 * 60;
  EXPECT_LE(outcome.responder.retransmitted, share);
  EXPECT_GE(outcome.responder.retransmitted, share * 8 / 10);
  EXPECT_GT(outcome.responder.over_budget, 0u);
}

TEST(NackRecoveryTest, AfterAnOutageOfASecondRepairGoesOn) {
  // The link is bad for 250 packets on the average, seldom.
  RepairScenario scenario;
  scenario.forward.burst_loss = {
      .to_bad_permille = 1, .to_good_permille = 4, .lost_permille = 1000};
  scenario.forward.lost_permille = 20;
  const RepairOutcome outcome = Simulate("outages", scenario);
  EXPECT_GT(outcome.generator.restarts, 0u);
  EXPECT_GT(outcome.generator.repaired, 500u);
  EXPECT_EQ(outcome.doubled, 0u);
}

}  // namespace
}  // namespace sluice

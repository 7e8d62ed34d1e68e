#include "interceptor/bwe/probe_planner.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr DataRate Kbps(int64_t kbps) { return DataRate::KilobitsPerSec(kbps); }
constexpr Timestamp kStart = Timestamp::Seconds(100);

std::vector<int64_t> KbpsOf(const ProbeList& list) {
  std::vector<int64_t> rates;
  for (const Probe& probe : list.probes()) {
    rates.push_back(probe.rate.bps() / 1000);
  }
  return rates;
}

// There is less to send than the target allows, from about `now` on.
ApplicationLimit Limited(Timestamp now) {
  ApplicationLimit limit(Kbps(1000));
  for (int i = 0; i <= 20; ++i) {
    limit.OnSent(now + TimeDelta::Millis(50 * (i - 20)), DataSize::Bytes(1));
  }
  EXPECT_TRUE(limit.limited());
  return limit;
}

const ApplicationLimit kBusy(Kbps(1000));

TEST(ProbePlannerTest, BeginsWithThreeAndSixTimesTheStartRate) {
  ProbePlanner planner(Kbps(50'000));
  const ProbeList list = planner.OnStart(kStart, Kbps(300));
  EXPECT_THAT(KbpsOf(list), ElementsAre(900, 1800));
  EXPECT_THAT(list.probes()[0].cluster, 1u);
  EXPECT_THAT(list.probes()[1].cluster, 2u);
}

TEST(ProbePlannerTest, GoesOnAsLongAsProbesShowMore) {
  ProbePlanner planner(Kbps(50'000));
  planner.OnStart(kStart, Kbps(300));
  EXPECT_THAT(KbpsOf(planner.OnEstimate(kStart, Kbps(1200))), IsEmpty()) << "below 70 % of 1800";
  EXPECT_THAT(KbpsOf(planner.OnEstimate(kStart, Kbps(1800))), ElementsAre(3600));
  EXPECT_THAT(KbpsOf(planner.OnEstimate(kStart, Kbps(3500))), ElementsAre(7000));
  EXPECT_THAT(KbpsOf(planner.OnEstimate(kStart, Kbps(4000))), IsEmpty());
}

TEST(ProbePlannerTest, ProbesAreNotAboveTheMaximum) {
  ProbePlanner planner(Kbps(1500));
  EXPECT_THAT(KbpsOf(planner.OnStart(kStart, Kbps(300))), ElementsAre(900, 1500));
  EXPECT_THAT(KbpsOf(planner.OnEstimate(kStart, Kbps(1500))), IsEmpty());
  ProbePlanner at_once(Kbps(800));
  EXPECT_THAT(KbpsOf(at_once.OnStart(kStart, Kbps(300))), ElementsAre(800));
  ProbePlanner full(Kbps(300));
  EXPECT_THAT(KbpsOf(full.OnStart(kStart, Kbps(300))), IsEmpty());
}

TEST(ProbePlannerTest, AnAnswerThatComesTooLateStartsNothing) {
  ProbePlanner planner(Kbps(50'000));
  planner.OnStart(kStart, Kbps(300));
  planner.OnTimeout(kStart + TimeDelta::Millis(1001), kBusy);
  EXPECT_THAT(KbpsOf(planner.OnEstimate(kStart, Kbps(1800))), IsEmpty());
}

TEST(ProbePlannerTest, WhileThereIsLittleToSendItTriesEveryFiveSeconds) {
  ProbePlanner planner(Kbps(50'000));
  planner.OnStart(kStart, Kbps(300));
  planner.OnEstimate(kStart, Kbps(1000));
  const ApplicationLimit limited = Limited(kStart);
  int probes = 0;
  for (int i = 0; i < 300; ++i) {
    const ProbeList list = planner.OnTimeout(kStart + TimeDelta::Millis(100 * i), limited);
    for (const int64_t kbps : KbpsOf(list)) {
      ++probes;
      EXPECT_EQ(kbps, 2000);
    }
  }
  EXPECT_EQ(probes, 5) << "in 30 seconds";
}

TEST(ProbePlannerTest, ABusySourceIsNotProbed) {
  ProbePlanner planner(Kbps(50'000));
  planner.OnStart(kStart, Kbps(300));
  for (int i = 0; i < 600; ++i) {
    ASSERT_THAT(KbpsOf(planner.OnTimeout(kStart + TimeDelta::Millis(100 * i), kBusy)), IsEmpty());
  }
}

TEST(ProbePlannerTest, AfterADropARecoveredPathIsProbedOnce) {
  ProbePlanner planner(Kbps(50'000));
  planner.OnStart(kStart, Kbps(300));
  planner.OnEstimate(kStart, Kbps(1000));
  const Timestamp now = kStart + TimeDelta::Seconds(2);
  planner.OnTimeout(now, kBusy);
  planner.OnEstimate(now, Kbps(300));
  EXPECT_THAT(KbpsOf(planner.OnRecovered(now, kBusy)), IsEmpty())
      << "who has enough to send finds out by sending";
  const ApplicationLimit limited = Limited(now);
  EXPECT_THAT(KbpsOf(planner.OnRecovered(now, limited)), ElementsAre(850));
  EXPECT_THAT(KbpsOf(planner.OnRecovered(now, limited)), IsEmpty());
}

TEST(ProbePlannerTest, ADropLongAgoIsNoReasonToProbe) {
  ProbePlanner planner(Kbps(50'000));
  planner.OnStart(kStart, Kbps(300));
  planner.OnEstimate(kStart, Kbps(1000));
  planner.OnTimeout(kStart + TimeDelta::Seconds(2), kBusy);
  planner.OnEstimate(kStart + TimeDelta::Seconds(2), Kbps(300));
  const Timestamp later = kStart + TimeDelta::Seconds(8);
  EXPECT_THAT(KbpsOf(planner.OnRecovered(later, Limited(later))), IsEmpty());
}

}  // namespace
}  // namespace sluice

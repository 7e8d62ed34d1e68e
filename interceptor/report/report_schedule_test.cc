#include "interceptor/report/report_schedule.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// RFC 3550 appendix A.7, with what the random factor is between.
struct Bounds {
  double shortest;
  double longest;
};
Bounds Reference(const ReportScheduleOptions& options, const ReportMembers& members,
                 double average_size, bool initial) {
  double minimum = static_cast<double>(options.minimum.us()) / 1e6;
  const double bandwidth = static_cast<double>(options.session_bandwidth.bps());
  if (options.reduced_minimum) {
    minimum = std::min(minimum, 360.0 / (bandwidth / 1000));
  } else if (initial) {
    minimum /= 2;
  }
  double rtcp_bytes = bandwidth / 8 * 0.05;
  auto n = static_cast<double>(members.members);
  if (static_cast<double>(members.senders) <= n * 0.25) {
    if (members.we_sent) {
      rtcp_bytes *= 0.25;
      n = static_cast<double>(members.senders);
    } else {
      rtcp_bytes *= 0.75;
      n -= static_cast<double>(members.senders);
    }
  }
  const double t = std::max(average_size * n / rtcp_bytes, minimum) / (std::exp(1.0) - 1.5);
  return {t * 0.5, t * 1.5};
}

double Seconds(TimeDelta delta) { return static_cast<double>(delta.us()) / 1e6; }

TEST(ReportScheduleTest, OptionsHaveBounds) {
  EXPECT_TRUE(ReportSchedule::IsValid({}));
  EXPECT_FALSE(ReportSchedule::IsValid({.session_bandwidth = DataRate::BitsPerSec(999)}));
  EXPECT_FALSE(ReportSchedule::IsValid({.minimum = TimeDelta::Zero()}));
  EXPECT_FALSE(ReportSchedule::IsValid({.minimum = TimeDelta::Seconds(61)}));
  EXPECT_TRUE(ReportSchedule::IsValid({.session_bandwidth = DataRate::PlusInfinity()}));
}

TEST(ReportScheduleTest, IntervalsAreWithinTheBoundsOfTheAppendixAndUseThemAll) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3552);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int i = 0; i < 200; ++i) {
    const ReportScheduleOptions options = {
        .session_bandwidth =
            DataRate::BitsPerSec(static_cast<int64_t>(1000 + random.Below(5'000'000))),
        .minimum = TimeDelta::Millis(static_cast<int64_t>(1 + random.Below(10'000))),
        .reduced_minimum = random.Below(2) == 0};
    ReportMembers members = {.members = 1 + random.Below(200)};
    members.senders = random.Below(members.members + 1);
    members.we_sent = members.senders > 0 && random.Below(2) == 0;
    const size_t size = 50 + random.Below(1000);
    double shortest = 1e9, longest = 0;
    const Bounds bounds = Reference(options, members, static_cast<double>(size), true);
    for (int draw = 0; draw < 300; ++draw) {
      ReportSchedule schedule(options, size, random);
      schedule.Start(Timestamp::Zero(), members);
      const double interval = Seconds(schedule.next() - Timestamp::Zero());
      shortest = std::min(shortest, interval);
      longest = std::max(longest, interval);
    }
    const double range = bounds.longest - bounds.shortest;
    EXPECT_GE(shortest, bounds.shortest * 0.9999 - 3e-6);
    EXPECT_LE(longest, bounds.longest * 1.0001 + 3e-6);
    // The chance that 300 draws miss a tenth at one end is 2e-14.
    EXPECT_LE(shortest, bounds.shortest + range / 10);
    EXPECT_GE(longest, bounds.longest - range / 10);
  }
}

TEST(ReportScheduleTest, OnlyTheFirstReportComesInHalfOfTheTime) {
  SeededRandom random(1);
  ReportSchedule schedule({}, 100, random);
  const ReportMembers two = {.members = 2};
  schedule.Start(Timestamp::Zero(), two);
  EXPECT_LE(schedule.next(), Timestamp::Micros(2'500'000 * 3 / 2 * 100000LL / 121828));
  const Timestamp first = Timestamp::Seconds(10);
  ASSERT_TRUE(schedule.Expire(first, two));
  schedule.Sent(first, 100, two);
  EXPECT_GE(schedule.next() - first, TimeDelta::Micros(5'000'000 / 2 * 100000LL / 121828));
}

TEST(ReportScheduleTest, TheReducedMinimumFollowsTheBandwidth) {
  SeededRandom random(2);
  ReportSchedule schedule(
      {.session_bandwidth = DataRate::KilobitsPerSec(3600), .reduced_minimum = true}, 100, random);
  schedule.Start(Timestamp::Zero(), {.members = 2});
  // 360 / 3600 s, by 1.21828, half as much to half as much again.
  EXPECT_GE(schedule.next(), Timestamp::Millis(41));
  EXPECT_LE(schedule.next(), Timestamp::Millis(124));
}

TEST(ReportScheduleTest, AReportIsPutOffWhenMembersCame) {
  SeededRandom random(3);
  ReportSchedule schedule({.session_bandwidth = DataRate::KilobitsPerSec(64)}, 200, random);
  schedule.Start(Timestamp::Zero(), {.members = 1});
  const Timestamp due = schedule.next();
  const ReportMembers many = {.members = 1000};
  EXPECT_FALSE(schedule.Expire(due, many));
  EXPECT_GT(schedule.next(), due + TimeDelta::Seconds(100));
  EXPECT_TRUE(schedule.Expire(schedule.next() + TimeDelta::Minutes(60), many));
}

TEST(ReportScheduleTest, AReportComesSoonerWhenMembersLeft) {
  SeededRandom random(4);
  ReportSchedule schedule({.session_bandwidth = DataRate::KilobitsPerSec(64)}, 200, random);
  schedule.Start(Timestamp::Zero(), {.members = 100});
  const TimeDelta before = schedule.next() - Timestamp::Zero();
  schedule.Left(Timestamp::Zero(), {.members = 25});
  EXPECT_EQ(schedule.next() - Timestamp::Zero(), before / 4);
  // Whoever comes back is none who left.
  schedule.Left(Timestamp::Zero(), {.members = 50});
  EXPECT_EQ(schedule.next() - Timestamp::Zero(), before / 4);
}

TEST(ReportScheduleTest, SizesAreSmoothedByASixteenth) {
  SeededRandom random(5);
  ReportSchedule schedule({}, 100, random);
  schedule.Received(260);
  EXPECT_EQ(schedule.average_size(), 110u);
  for (int i = 0; i < 200; ++i) {
    schedule.Received(1000);
  }
  EXPECT_NEAR(static_cast<double>(schedule.average_size()), 1000, 1);
}

TEST(ReportScheduleTest, NothingIsDueBeforeTheStartOrAfterTheEnd) {
  SeededRandom random(6);
  ReportSchedule schedule({}, 100, random);
  EXPECT_EQ(schedule.next(), Timestamp::PlusInfinity());
  schedule.Left(Timestamp::Zero(), {.members = 0});
  schedule.Start(Timestamp::Zero(), {.members = 1});
  EXPECT_TRUE(schedule.next().IsFinite());
  schedule.Stop();
  EXPECT_EQ(schedule.next(), Timestamp::PlusInfinity());
}

}  // namespace
}  // namespace sluice

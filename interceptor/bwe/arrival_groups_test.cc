#include "interceptor/bwe/arrival_groups.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Packets by sending and arrival in milliseconds; "sent/arrived" of each comparison.
struct Groups {
  void Add(int64_t sent, int64_t arrived) { AddReported(sent, arrived, arrived - 1'000'000); }
  void AddReported(int64_t sent, int64_t arrived, int64_t reported) {
    const std::optional<GroupDelta> delta = groups.Add(
        Timestamp::Millis(sent), Timestamp::Millis(arrived), Timestamp::Millis(reported));
    if (delta.has_value()) {
      log.push_back(absl::StrCat(delta->sent.ms(), "/", delta->arrived.ms()));
    }
  }

  ArrivalGroups groups;
  std::vector<std::string> log;
};

TEST(ArrivalGroupsTest, PacketsSentTogetherAreOneGroup) {
  Groups groups;
  groups.Add(0, 1'000'000);
  groups.Add(2, 1'000'010);
  groups.Add(5, 1'000'020);
  groups.Add(20, 1'000'040);
  groups.Add(22, 1'000'050);
  EXPECT_THAT(groups.log, IsEmpty()) << "one group is complete";
  groups.Add(40, 1'000'060);
  // Last packets: 5 to 22, 20 to 50.
  EXPECT_THAT(groups.log, ElementsAre("17/30"));
}

TEST(ArrivalGroupsTest, AGrowingQueueShowsInEveryComparison) {
  Groups groups;
  for (int i = 0; i < 6; ++i) {
    groups.Add(10 * i, 1'000'000 + 12 * i);
  }
  EXPECT_THAT(groups.log, ElementsAre("10/12", "10/12", "10/12", "10/12"));
}

TEST(ArrivalGroupsTest, ABurstOfHeldBackPacketsIsOneGroup) {
  Groups groups;
  groups.Add(0, 1'000'000);
  groups.Add(10, 1'000'010);
  // Held back, then all at once.
  groups.Add(20, 1'000'060);
  groups.Add(30, 1'000'061);
  groups.Add(40, 1'000'062);
  groups.Add(50, 1'000'063);
  groups.Add(60, 1'000'073);
  EXPECT_THAT(groups.log, ElementsAre("10/10", "40/53"));
}

TEST(ArrivalGroupsTest, ABurstIsNotLongerThanAHundredMilliseconds) {
  Groups groups;
  // Arrives twice as fast as it was sent, for ever.
  for (int i = 0; i < 200; ++i) {
    groups.Add(10 * i, 1'000'000 + 5 * i);
  }
  EXPECT_GE(groups.log.size(), 7u);
}

TEST(ArrivalGroupsTest, AnOvertakenPacketIsLeftOut) {
  Groups groups;
  groups.Add(0, 1'000'000);
  groups.Add(10, 1'000'010);
  groups.Add(20, 1'000'020);
  groups.Add(9, 1'000'021);
  groups.Add(30, 1'000'030);
  EXPECT_THAT(groups.log, ElementsAre("10/10", "10/10"));
}

TEST(ArrivalGroupsTest, AClockSetForwardIsNoDelay) {
  Groups groups;
  groups.AddReported(0, 1'000'000, 50);
  groups.AddReported(10, 1'000'010, 60);
  groups.AddReported(20, 1'005'020, 70);
  groups.AddReported(30, 1'005'030, 80);
  groups.AddReported(40, 1'005'040, 90);
  groups.AddReported(50, 1'005'050, 100);
  EXPECT_THAT(groups.log, ElementsAre("10/10", "10/10"));
}

TEST(ArrivalGroupsTest, AClockSetBackIsUnderstoodAfterThreeGroups) {
  Groups groups;
  groups.Add(0, 1'000'000);
  groups.Add(10, 1'000'010);
  for (int i = 2; i < 10; ++i) {
    groups.Add(10 * i, 500'000 + 10 * i);
  }
  EXPECT_FALSE(groups.log.empty());
  EXPECT_EQ(groups.log.back(), "10/10");
  for (const std::string& line : groups.log) {
    EXPECT_EQ(line, "10/10");
  }
}

TEST(ArrivalGroupsTest, AfterAResetNothingIsComparedWithWhatWasBefore) {
  Groups groups;
  groups.Add(0, 1'000'000);
  groups.Add(10, 1'000'010);
  groups.groups.Reset();
  groups.Add(10'000, 1'020'000);
  groups.Add(10'010, 1'020'010);
  EXPECT_THAT(groups.log, IsEmpty());
  groups.Add(10'020, 1'020'020);
  EXPECT_THAT(groups.log, ElementsAre("10/10"));
}

}  // namespace
}  // namespace sluice

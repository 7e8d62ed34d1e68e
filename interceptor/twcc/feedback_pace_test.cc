#include "interceptor/twcc/feedback_pace.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr DataSize kPacket = DataSize::Bytes(1000);
constexpr DataSize kFeedback = DataSize::Bytes(38);

// Sends feedback when it is due, about packets that come every `interval`; how many feedbacks in
// the second second.
int FeedbacksPerSecond(FeedbackPace& pace, TimeDelta interval, DataSize size) {
  int count = 0;
  Timestamp packet = Timestamp::Zero();
  for (Timestamp now = Timestamp::Zero(); now < Timestamp::Seconds(2);
       now += TimeDelta::Millis(1)) {
    if (packet <= now) {
      packet += interval;
      pace.OnPacket(now, size);
    }
    if (pace.due() <= now) {
      pace.OnFeedback(now, kFeedback);
      count += now >= Timestamp::Seconds(1);
    }
  }
  return count;
}

TEST(FeedbackPaceTest, NothingIsDueWithoutPackets) {
  FeedbackPace pace({});
  EXPECT_EQ(pace.due(), Timestamp::PlusInfinity());
  pace.OnPacket(Timestamp::Seconds(1), kPacket);
  EXPECT_EQ(pace.due(), Timestamp::Seconds(1)) << "the first one says that feedback works";
  pace.OnFeedback(Timestamp::Seconds(1), kFeedback);
  EXPECT_EQ(pace.due(), Timestamp::PlusInfinity());
}

TEST(FeedbackPaceTest, FeedbackAboutMuchIsFrequent) {
  FeedbackPace pace({});
  // 8 Mbit/s.
  EXPECT_EQ(FeedbacksPerSecond(pace, TimeDelta::Millis(1), kPacket), 20);
}

TEST(FeedbackPaceTest, FeedbackTakesItsShareOfWhatIsReceived) {
  FeedbackPace pace({});
  // 80 kbit/s, of which a twentieth is 4000 bit/s: five feedbacks of 100 bytes.
  EXPECT_EQ(FeedbacksPerSecond(pace, TimeDelta::Millis(10), DataSize::Bytes(100)), 5);
}

TEST(FeedbackPaceTest, FeedbackAboutATrickleIsNotHeldBackForEver) {
  FeedbackPace pace({});
  EXPECT_EQ(FeedbacksPerSecond(pace, TimeDelta::Millis(20), DataSize::Bytes(40)), 4);
}

TEST(FeedbackPaceTest, AfterAPauseTheFirstPacketIsReportedAtOnce) {
  FeedbackPace pace({});
  pace.OnPacket(Timestamp::Seconds(1), kPacket);
  pace.OnFeedback(Timestamp::Seconds(1), kFeedback);
  pace.OnPacket(Timestamp::Seconds(1), kPacket);
  EXPECT_EQ(pace.due(), Timestamp::Millis(1050));
  pace.OnFeedback(Timestamp::Millis(1050), kFeedback);
  pace.OnPacket(Timestamp::Seconds(9), kPacket);
  EXPECT_EQ(pace.due(), Timestamp::Seconds(9));
}

TEST(FeedbackPaceTest, TwoFeedbacksAtOneTimeDivideNothingByZero) {
  FeedbackPace pace({});
  for (int i = 0; i < 2; ++i) {
    pace.OnPacket(Timestamp::Seconds(1), kPacket);
    pace.OnFeedback(Timestamp::Seconds(1), kFeedback);
  }
  EXPECT_EQ(pace.interval(), TimeDelta::Millis(50));
}

TEST(FeedbackPaceTest, OptionsHaveBounds) {
  EXPECT_TRUE(FeedbackPace::IsValid({}));
  EXPECT_FALSE(FeedbackPace::IsValid({.min_interval = TimeDelta::Zero()}));
  EXPECT_FALSE(FeedbackPace::IsValid({.min_interval = TimeDelta::Seconds(1)}));
  EXPECT_FALSE(FeedbackPace::IsValid({.max_interval = TimeDelta::PlusInfinity()}));
  EXPECT_FALSE(FeedbackPace::IsValid({.share_permille = 0}));
  EXPECT_FALSE(FeedbackPace::IsValid({.share_permille = 1001}));
}

}  // namespace
}  // namespace sluice

#include "tools/load/loss_gate.h"

#include <vector>

#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;
using enum RelayedKind;

std::vector<bool> Losses(LossGate& gate, int packets) {
  std::vector<bool> losses;
  for (int i = 0; i < packets; ++i) losses.push_back(gate.Loses(kRtp));
  return losses;
}

int Count(const std::vector<bool>& losses) {
  int count = 0;
  for (const bool lost : losses) count += lost ? 1 : 0;
  return count;
}

TEST(LossGateTest, TellsRtpRtcpAndOthersApart) {
  EXPECT_EQ(ClassifyRelayed(RtpPacketBuilder().Build()), kRtp);
  EXPECT_EQ(ClassifyRelayed(RtpPacketBuilder().WithMarker().Build()), kRtp);
  EXPECT_EQ(ClassifyRelayed(RtcpPacketBuilder().AddReceiverReport(1).Build()), kRtcp);
  EXPECT_EQ(ClassifyRelayed(Bytes{0x80}), kRtp) << "too short to be RTCP";
  for (const Bytes& other : {Bytes{}, Bytes{0, 1, 0, 0}, Bytes{22, 254, 253}, Bytes{192, 200}}) {
    EXPECT_EQ(ClassifyRelayed(other), kOther);
  }
}

TEST(LossGateTest, LosesNothingAtZeroAndAllAtAMillion) {
  LossGate none({.lost_per_million = 0});
  EXPECT_EQ(Count(Losses(none, 10'000)), 0);
  LossGate all({.lost_per_million = 1'000'000});
  EXPECT_EQ(Count(Losses(all, 10'000)), 10'000);
}

TEST(LossGateTest, LosesTheShareItWasTold) {
  // Five standard deviations (22 each) around the mean of 500.
  LossGate gate({.lost_per_million = 50'000, .seed = 7});
  const int lost = Count(Losses(gate, 10'000));
  EXPECT_GT(lost, 390);
  EXPECT_LT(lost, 610);
}

TEST(LossGateTest, TheSeedSaysWhichOnes) {
  LossGate one({.lost_per_million = 50'000, .seed = 7});
  LossGate same({.lost_per_million = 50'000, .seed = 7});
  LossGate other({.lost_per_million = 50'000, .seed = 8});
  const std::vector<bool> losses = Losses(one, 1000);
  EXPECT_EQ(Losses(same, 1000), losses);
  EXPECT_NE(Losses(other, 1000), losses);
}

TEST(LossGateTest, RtcpIsLostOnlyWhenAskedAndOthersNever) {
  LossGate rtp_only({.lost_per_million = 1'000'000});
  EXPECT_FALSE(rtp_only.Loses(kRtcp));
  EXPECT_FALSE(rtp_only.Loses(kOther));
  EXPECT_TRUE(rtp_only.Loses(kRtp));
  LossGate both({.lost_per_million = 1'000'000, .lose_rtcp = true});
  EXPECT_TRUE(both.Loses(kRtcp));
  EXPECT_FALSE(both.Loses(kOther));
}

TEST(LossGateTest, WhatCannotBeLostDoesNotChangeWhatIs) {
  LossGate alone({.lost_per_million = 50'000, .seed = 7});
  const std::vector<bool> losses = Losses(alone, 1000);
  LossGate mixed({.lost_per_million = 50'000, .seed = 7});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(mixed.Loses(kRtcp));
    EXPECT_EQ(mixed.Loses(kRtp), losses[static_cast<size_t>(i)]) << i;
  }
}

}  // namespace
}  // namespace sluice

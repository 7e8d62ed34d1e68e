#include "tools/ctl/traffic_rates.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::SessionStats;

SessionStats Sample(int64_t ms, uint64_t packets, uint64_t bytes) {
  SessionStats stats;
  stats.mutable_sample_time()->set_seconds(ms / 1000);
  stats.mutable_sample_time()->set_nanos(static_cast<int32_t>(ms % 1000 * 1'000'000));
  auto* leg = stats.add_legs();
  leg->set_leg_id("alice");
  leg->set_packets_received(packets);
  leg->set_bytes_received(bytes);
  leg->set_packets_sent(2 * packets);
  leg->set_bytes_sent(2 * bytes);
  return stats;
}

TEST(TrafficRatesTest, TwoSamplesMakeARate) {
  TrafficRates rates;
  EXPECT_TRUE(rates.Update(Sample(1'700'000, 100, 10'000)).empty());
  // Half a second, across a second's border.
  const auto& by_leg = rates.Update(Sample(1'700'500, 125, 12'500));
  const LegRates& alice = by_leg.at("alice");
  EXPECT_EQ(alice.packets_received_per_second, 50);
  EXPECT_EQ(alice.received, DataRate::BitsPerSec(40'000));
  EXPECT_EQ(alice.packets_sent_per_second, 100);
  EXPECT_EQ(alice.sent, DataRate::BitsPerSec(80'000));
}

TEST(TrafficRatesTest, RoundsToTheNearestPacket) {
  TrafficRates rates;
  rates.Update(Sample(1'000, 0, 0));
  EXPECT_EQ(rates.Update(Sample(2'001, 50, 0)).at("alice").packets_received_per_second, 50);
}

TEST(TrafficRatesTest, ANewLegHasNoRateAndALostOneIsGone) {
  TrafficRates rates;
  rates.Update(Sample(1'000, 0, 0));
  SessionStats other = Sample(2'000, 10, 0);
  other.mutable_legs(0)->set_leg_id("bob");
  EXPECT_TRUE(rates.Update(other).empty());
}

TEST(TrafficRatesTest, WhatGoesBackIsZeroAndTheSameSampleChangesNothing) {
  TrafficRates rates;
  rates.Update(Sample(1'000, 100, 100));
  rates.Update(Sample(2'000, 150, 200));
  EXPECT_EQ(rates.Update(Sample(2'000, 150, 200)).at("alice").packets_received_per_second, 50);
  EXPECT_EQ(rates.Update(Sample(3'000, 0, 0)).at("alice").packets_received_per_second, 0);
  EXPECT_TRUE(rates.Update(Sample(2'500, 10, 10)).empty());
}

}  // namespace
}  // namespace sluice

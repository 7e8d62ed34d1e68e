#include "interceptor/bwe/probe_rate.h"

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"

namespace sluice {
namespace {

// 8 packets of 1000 bytes.
constexpr Probe kProbe = {7, DataRate::KilobitsPerSec(4000), TimeDelta::Millis(15)};

// Packets sent every `sent` and arriving every `arrived`; the last answer.
std::optional<DataRate> Measure(ProbeRate& rate, int packets, TimeDelta sent, TimeDelta arrived,
                                uint32_t cluster = kProbe.cluster) {
  std::optional<DataRate> result;
  for (int i = 0; i < packets; ++i) {
    result = rate.Add({.sequence = i,
                       .size = DataSize::Bytes(1000),
                       .sent = Timestamp::Seconds(1) + sent * i,
                       .arrived = Timestamp::Seconds(500) + arrived * i,
                       .probe_cluster = cluster});
  }
  return result;
}

TEST(ProbeRateTest, APathThatCarriesTheProbeHasItsRate) {
  ProbeRate rate;
  rate.Begin(kProbe);
  EXPECT_EQ(Measure(rate, 8, TimeDelta::Millis(2), TimeDelta::Millis(2)),
            DataRate::KilobitsPerSec(4000));
}

TEST(ProbeRateTest, APathThatDoesNotHasALittleLessThanWhatArrived) {
  ProbeRate rate;
  rate.Begin(kProbe);
  EXPECT_EQ(Measure(rate, 8, TimeDelta::Millis(2), TimeDelta::Millis(8)),
            DataRate::KilobitsPerSec(950));
}

TEST(ProbeRateTest, NothingIsKnownBeforeMostOfItArrived) {
  ProbeRate rate;
  rate.Begin(kProbe);
  EXPECT_EQ(Measure(rate, 5, TimeDelta::Millis(2), TimeDelta::Millis(2)), std::nullopt)
      << "5000 of 7500 bytes";
  ProbeRate slow;
  slow.Begin({7, DataRate::KilobitsPerSec(500), TimeDelta::Millis(15)});
  EXPECT_EQ(Measure(slow, 3, TimeDelta::Millis(16), TimeDelta::Millis(16)), std::nullopt)
      << "3 of 5 packets";
  EXPECT_NE(Measure(slow, 4, TimeDelta::Millis(16), TimeDelta::Millis(16)), std::nullopt);
}

TEST(ProbeRateTest, WhatArrivesMuchFasterThanItWasSentIsNoMeasure) {
  ProbeRate rate;
  rate.Begin(kProbe);
  EXPECT_EQ(Measure(rate, 8, TimeDelta::Millis(5), TimeDelta::Millis(1)), std::nullopt);
}

TEST(ProbeRateTest, TimesThatAreNoIntervalsAreNoMeasure) {
  for (const auto& [sent, arrived] : {std::pair(TimeDelta::Zero(), TimeDelta::Millis(1)),
                                      std::pair(TimeDelta::Millis(1), TimeDelta::Zero()),
                                      std::pair(TimeDelta::Millis(200), TimeDelta::Millis(200))}) {
    ProbeRate rate;
    rate.Begin(kProbe);
    EXPECT_EQ(Measure(rate, 8, sent, arrived), std::nullopt);
  }
}

TEST(ProbeRateTest, PacketsOfUnknownProbesAreNoMeasure) {
  ProbeRate rate;
  EXPECT_EQ(Measure(rate, 8, TimeDelta::Millis(2), TimeDelta::Millis(2)), std::nullopt);
  rate.Begin(kProbe);
  EXPECT_EQ(Measure(rate, 8, TimeDelta::Millis(2), TimeDelta::Millis(2), 8), std::nullopt);
}

TEST(ProbeRateTest, TheOldestProbeIsGivenUpForANewOne) {
  ProbeRate rate;
  for (uint32_t cluster = 1; cluster <= ProbeRate::kMaxProbes + 1; ++cluster) {
    rate.Begin({cluster, kProbe.rate, kProbe.duration});
  }
  EXPECT_EQ(Measure(rate, 8, TimeDelta::Millis(2), TimeDelta::Millis(2), 1), std::nullopt);
  EXPECT_NE(Measure(rate, 8, TimeDelta::Millis(2), TimeDelta::Millis(2), 2), std::nullopt);
  EXPECT_NE(Measure(rate, 8, TimeDelta::Millis(2), TimeDelta::Millis(2), ProbeRate::kMaxProbes + 1),
            std::nullopt);
}

}  // namespace
}  // namespace sluice

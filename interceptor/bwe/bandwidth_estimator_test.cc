#include "interceptor/bwe/bandwidth_estimator.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/remb.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<uint8_t>;

constexpr Timestamp kNow = Timestamp::Seconds(10);

// Puts a report on every incoming datagram, as the reader of feedback does.
class Reporter : public Interceptor {
 public:
  InterceptorKind kind() const override { return InterceptorKind::kTransportFeedback; }
  InterceptorHooks hooks() const override { return {.incoming_rtcp = true}; }
  void OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override {
    for (InterceptedRtcp& packet : packets) {
      if (!reports.empty()) {
        packet.attributes.Set(out.attributes(), &PacketAttributes::feedback,
                              FeedbackReport{.received = now, .packets = reports});
      }
    }
  }

  std::vector<PacketReport> reports;
};

struct EstimatorChain {
  EstimatorChain() {
    auto made = BandwidthEstimator::Create({});
    EXPECT_TRUE(made.ok()) << made.status();
    estimator = made->get();
    auto made_reporter = std::make_unique<Reporter>();
    reporter = made_reporter.get();
    std::vector<std::unique_ptr<Interceptor>> list;
    list.push_back(*std::move(made));
    list.push_back(std::move(made_reporter));
    harness = std::make_unique<ChainHarness>(std::move(list));
  }

  BandwidthEstimator* estimator;
  Reporter* reporter;
  std::unique_ptr<ChainHarness> harness;
};

Bytes Rtp() { return RtpPacketBuilder().WithPayloadSize(1000).Build(); }
Bytes Rtcp() { return RtcpPacketBuilder().AddReceiverReport(1).Build(); }
Bytes Remb(DataRate limit) {
  Bytes packet(100);
  packet.resize(WriteRemb(Ssrc(1), limit, {}, absl::MakeSpan(packet)));
  EXPECT_FALSE(packet.empty());
  return packet;
}

TEST(BandwidthEstimatorTest, MediaStartsProbes) {
  EstimatorChain chain;
  const ChainOutput output = chain.harness->OutgoingRtp(kNow, {Rtp(), Rtp()});
  EXPECT_EQ(output.passed.size(), 2u);
  const std::vector<ProbeWanted> probes = output.EventsOf<ProbeWanted>();
  ASSERT_EQ(probes.size(), 2u);
  EXPECT_EQ(probes[0].rate, DataRate::KilobitsPerSec(900));
  EXPECT_NE(probes[0].cluster, 0u);
  EXPECT_NE(probes[1].cluster, probes[0].cluster);
  EXPECT_THAT(chain.harness->OutgoingRtp(kNow, {Rtp()}).EventsOf<ProbeWanted>(), IsEmpty());
}

TEST(BandwidthEstimatorTest, ReportsChangeTheTarget) {
  EstimatorChain chain;
  DataRate target = DataRate::Zero();
  // A packet each 32 ms is 250 kbit/s and more.
  Timestamp now = kNow;
  for (int64_t i = 0; i < 200; ++i) {
    now += TimeDelta::Millis(32);
    chain.harness->OutgoingRtp(now, {Rtp()});
    chain.reporter->reports = {{.sequence = i,
                                .size = DataSize::Bytes(1012),
                                .sent = now,
                                .arrived = now + TimeDelta::Seconds(77),
                                .probe_cluster = 0}};
    for (const TargetRateChanged& changed :
         chain.harness->IncomingRtcp(now + TimeDelta::Millis(10), {Rtcp()})
             .EventsOf<TargetRateChanged>()) {
      target = changed.target;
    }
  }
  EXPECT_GT(target, DataRate::KilobitsPerSec(300));
  EXPECT_EQ(target, chain.estimator->estimator().target());
  EXPECT_EQ(chain.estimator->reports(), 200u);
}

TEST(BandwidthEstimatorTest, DatagramsWithoutReportChangeNothing) {
  EstimatorChain chain;
  EXPECT_THAT(chain.harness->IncomingRtcp(kNow, {Rtcp(), Rtcp()}).events, IsEmpty());
  EXPECT_EQ(chain.estimator->reports(), 0u);
}

TEST(BandwidthEstimatorTest, RembLimitsTheTargetAndIsToldToTheLeg) {
  EstimatorChain chain;
  const ChainOutput output =
      chain.harness->IncomingRtcp(kNow, {Remb(DataRate::KilobitsPerSec(200))});
  const std::vector<RemoteRateLimited> limits = output.EventsOf<RemoteRateLimited>();
  ASSERT_EQ(limits.size(), 1u);
  EXPECT_EQ(limits[0].limit, DataRate::KilobitsPerSec(200));
  const std::vector<TargetRateChanged> targets = output.EventsOf<TargetRateChanged>();
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0].target, DataRate::KilobitsPerSec(200));
}

TEST(BandwidthEstimatorTest, ListensToOthers) {
  EstimatorChain chain;
  const ChainOutput output =
      chain.harness->Event(kNow, RemoteRateLimited{DataRate::KilobitsPerSec(100)});
  ASSERT_EQ(output.EventsOf<TargetRateChanged>().size(), 1u);
  chain.harness->Event(kNow, RoundTripMeasured{TimeDelta::Millis(123)});
  EXPECT_EQ(chain.estimator->estimator().snapshot().round_trip, TimeDelta::Millis(123));
}

TEST(BandwidthEstimatorTest, SaysWhenThereIsLittleToSend) {
  EstimatorChain chain;
  std::vector<bool> told;
  for (int i = 0; i < 100; ++i) {
    const Timestamp now = kNow + TimeDelta::Millis(200 * i);
    for (const ApplicationLimited& event :
         chain.harness->OutgoingRtp(now, {Rtp()}).EventsOf<ApplicationLimited>()) {
      told.push_back(event.limited);
    }
  }
  EXPECT_THAT(told, ElementsAre(true));
}

TEST(BandwidthEstimatorTest, ItsOptionsAreThoseOfTheEstimator) {
  EXPECT_FALSE(BandwidthEstimator::Create({.min = DataRate::Zero()}).ok());
}

}  // namespace
}  // namespace sluice

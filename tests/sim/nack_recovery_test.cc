// Video over a lossy link with NACK and retransmissions at both ends, in virtual time: how many of
// the lost packets come back, and how soon. Each test prints its figures.

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/data_size.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/nack/nack_generator.h"
#include "interceptor/nack/nack_responder.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/sim/link_emulator.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr Ssrc kMedia(0xB0);
constexpr Ssrc kRtx(0xB1);
// 2 Mbit/s.
constexpr size_t kPayloadSize = 1000;
constexpr TimeDelta kSpacing = TimeDelta::Millis(4);
constexpr TimeDelta kOneWay = TimeDelta::Millis(50);
constexpr TimeDelta kRoundTrip = TimeDelta::Millis(100);

struct Scenario {
  LinkOptions forward = {.delay = kOneWay};
  LinkOptions back = {.delay = kOneWay};
  TimeDelta duration = TimeDelta::Seconds(200);
};

// What became of the packets of a scenario.
struct Outcome {
  uint64_t sent = 0;
  // Those that did not come by themselves, and of these: came within three round trips after they
  // should have; came at all.
  uint64_t lost = 0;
  uint64_t recovered_soon = 0;
  uint64_t recovered = 0;
  // The slowest recovery.
  TimeDelta slowest = TimeDelta::Zero();
  // Came more than once out of the receiver.
  uint64_t doubled = 0;
  NackGeneratorCounters generator;
  NackResponderCounters responder;

  double soon_percent() const { return Percent(recovered_soon, lost); }
  double recovered_percent() const { return Percent(recovered, lost); }
  static double Percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  }
};

StreamInfo Video() {
  StreamInfo info;
  info.ssrc = kMedia;
  info.retransmission_ssrc = kRtx;
  info.feedback.nack = true;
  info.video = true;
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96)}));
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(97),
                              .role = PayloadRole::kRetransmission,
                              .associated = PayloadType(96)}));
  return info;
}

class Call {
 public:
  Call(const Scenario& scenario, SeededRandom& random)
      : scenario_(scenario),
        generator_(*NackGenerator::Create({})),
        responder_(*NackResponder::Create({}, random)),
        generator_counters_(generator_->counters()),
        responder_counters_(responder_->counters()),
        sender_(std::move(responder_)),
        receiver_(std::move(generator_)),
        forward_(scenario.forward, random),
        back_(scenario.back, random) {
    EXPECT_EQ(sender_.chain().AddStream(now_, PacketDirection::kOutgoing, Video()),
              AddStreamVerdict::kOk);
    EXPECT_EQ(receiver_.chain().AddStream(now_, PacketDirection::kIncoming, Video()),
              AddStreamVerdict::kOk);
    sender_.Event(now_, RoundTripMeasured{kRoundTrip});
    receiver_.Event(now_, RoundTripMeasured{kRoundTrip});
  }

  Outcome Run() {
    const Timestamp end = now_ + scenario_.duration;
    // Behind the last packet there is time for repair.
    const Timestamp silence = end + TimeDelta::Seconds(5);
    Timestamp next_send = now_;
    while (now_ < silence) {
      if (next_send <= now_ && now_ < end) {
        SendNext();
        next_send += kSpacing;
      }
      Deliver();
      now_ = std::min({silence, now_ < end ? next_send : silence, forward_.NextArrival(),
                       back_.NextArrival(), receiver_.chain().NextTimeout()});
    }
    return Judge();
  }

 private:
  struct Packet {
    Timestamp sent;
    bool came_by_itself = false;
    int delivered = 0;
    Timestamp delivered_at = Timestamp::PlusInfinity();
  };

  void SendNext() {
    Launch(sender_
               .OutgoingRtp(now_, {RtpPacketBuilder()
                                       .WithSsrc(kMedia.value())
                                       .WithSequence(static_cast<uint16_t>(packets_.size()))
                                       .WithTimestamp(static_cast<uint32_t>(packets_.size()))
                                       .WithPayloadSize(kPayloadSize)
                                       .Build()})
               .passed);
    packets_.push_back({.sent = now_});
  }
  void Launch(const std::vector<Bytes>& packets) {
    for (const Bytes& packet : packets) {
      forward_.Send(now_, DataSize::Bytes(static_cast<int64_t>(packet.size())), packet);
    }
  }
  void LaunchBack(const std::vector<Bytes>& datagrams) {
    for (const Bytes& datagram : datagrams) {
      back_.Send(now_, DataSize::Bytes(static_cast<int64_t>(datagram.size())), datagram);
    }
  }

  void Deliver() {
    while (std::optional<Bytes> packet = forward_.Receive(now_)) {
      const RtpPacketView view = *RtpPacketView::Parse(*packet);
      // The timestamp counts packets: it says which one it is beyond 16 bits.
      Packet& original = packets_.at(view.timestamp().value());
      original.came_by_itself |= view.ssrc() == kMedia;
      ChainOutput output = receiver_.IncomingRtp(now_, {*packet});
      if (!output.passed.empty() && original.delivered++ == 0) {
        original.delivered_at = now_;
      }
    }
    if (receiver_.chain().NextTimeout() <= now_) {
      LaunchBack(receiver_.Timeout(now_).rtcp);
    }
    while (std::optional<Bytes> datagram = back_.Receive(now_)) {
      Launch(sender_.IncomingRtcp(now_, {*datagram}).sent);
    }
  }

  Outcome Judge() const {
    Outcome outcome;
    outcome.sent = packets_.size();
    for (const Packet& packet : packets_) {
      outcome.doubled += packet.delivered > 1 ? 1 : 0;
      if (packet.came_by_itself) {
        continue;
      }
      ++outcome.lost;
      if (packet.delivered == 0) {
        continue;
      }
      ++outcome.recovered;
      const TimeDelta took = packet.delivered_at - (packet.sent + kOneWay);
      outcome.recovered_soon += took <= 3 * kRoundTrip ? 1 : 0;
      outcome.slowest = std::max(outcome.slowest, took);
    }
    outcome.generator = generator_counters_;
    outcome.responder = responder_counters_;
    return outcome;
  }

  const Scenario scenario_;
  Timestamp now_ = Timestamp::Zero();
  // Until they are in their chains.
  std::unique_ptr<NackGenerator> generator_;
  std::unique_ptr<NackResponder> responder_;
  const NackGeneratorCounters& generator_counters_;
  const NackResponderCounters& responder_counters_;
  ChainHarness sender_;
  ChainHarness receiver_;
  LinkEmulator<Bytes> forward_;
  LinkEmulator<Bytes> back_;
  std::vector<Packet> packets_;
};

Outcome Simulate(const char* name, const Scenario& scenario) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(11);
  std::cout << "SLUICE_TEST_SEED=" << seed << "\n";
  SeededRandom random(seed);
  Outcome outcome = Call(scenario, random).Run();
  std::cout << absl::StrCat(name, ": ", outcome.sent, " packets, ", outcome.lost,
                            " lost, recovered within 3 round trips ", outcome.soon_percent(),
                            " %, at all ", outcome.recovered_percent(), " %, slowest ",
                            outcome.slowest, "; asked for ", outcome.generator.requests_sent,
                            ", repeated ", outcome.responder.retransmitted, ", repeated in vain ",
                            outcome.generator.restored_duplicates, "\n");
  return outcome;
}

TEST(NackRecoveryTest, FivePercentLossIsRecoveredWithinThreeRoundTrips) {
  Scenario scenario;
  scenario.forward.lost_permille = 50;
  const Outcome outcome = Simulate("5 % loss", scenario);
  EXPECT_GT(outcome.lost, 2000u);
  EXPECT_GE(outcome.soon_percent(), 99.0);
  EXPECT_EQ(outcome.recovered, outcome.lost);
  EXPECT_EQ(outcome.doubled, 0u);
  // Each loss is repeated once, and once more for each repetition that is lost.
  EXPECT_LE(outcome.responder.retransmitted, outcome.lost * 11 / 10);
}

TEST(NackRecoveryTest, LossBothWaysCostsAFewMoreRoundTrips) {
  Scenario scenario;
  scenario.forward.lost_permille = 50;
  scenario.back.lost_permille = 50;
  const Outcome outcome = Simulate("5 % loss both ways", scenario);
  // Two attempts fit into three round trips, each with two chances to get lost: 99.05 %.
  EXPECT_GE(outcome.soon_percent(), 98.3);
  EXPECT_EQ(outcome.recovered, outcome.lost);
}

TEST(NackRecoveryTest, LossInRunsIsRecoveredAsWell) {
  Scenario scenario;
  // Runs of five packets; 5 % in all.
  scenario.forward.burst_loss = {
      .to_bad_permille = 10, .to_good_permille = 200, .lost_permille = 1000};
  const Outcome outcome = Simulate("5 % loss in runs", scenario);
  EXPECT_GT(outcome.lost, 1500u);
  EXPECT_GE(outcome.soon_percent(), 98.5);
  EXPECT_EQ(outcome.recovered, outcome.lost);
}

TEST(NackRecoveryTest, ReorderingIsNotAskedFor) {
  Scenario scenario;
  scenario.forward.reordered_permille = 50;
  // The packet behind it comes first, and it follows before the hold-off is over.
  scenario.forward.reordered_by = kSpacing + TimeDelta::Millis(2);
  const Outcome outcome = Simulate("5 % reordered", scenario);
  EXPECT_EQ(outcome.lost, 0u);
  EXPECT_GT(outcome.generator.reordered, 2000u);
  EXPECT_EQ(outcome.generator.requests_sent, 0u);
}

TEST(NackRecoveryTest, HeavyLossIsRepairedWithinTheBudgetOnly) {
  Scenario scenario;
  scenario.forward.lost_permille = 400;
  scenario.duration = TimeDelta::Seconds(60);
  const Outcome outcome = Simulate("40 % loss", scenario);
  // A fifth of what is sent, what is saved at the start and 32 kbit/s.
  const uint64_t share = outcome.sent / 5 + 64 * 1024 / kPayloadSize + 4 * 60;
  EXPECT_LE(outcome.responder.retransmitted, share);
  EXPECT_GE(outcome.responder.retransmitted, share * 8 / 10);
  EXPECT_GT(outcome.responder.over_budget, 0u);
}

TEST(NackRecoveryTest, AfterAnOutageOfASecondRepairGoesOn) {
  // The link is bad for 250 packets on the average, seldom.
  Scenario scenario;
  scenario.forward.burst_loss = {
      .to_bad_permille = 1, .to_good_permille = 4, .lost_permille = 1000};
  scenario.forward.lost_permille = 20;
  const Outcome outcome = Simulate("outages", scenario);
  EXPECT_GT(outcome.generator.restarts, 0u);
  EXPECT_GT(outcome.generator.repaired, 500u);
  EXPECT_EQ(outcome.doubled, 0u);
}

}  // namespace
}  // namespace sluice

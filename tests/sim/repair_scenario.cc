#include "tests/sim/repair_scenario.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/data_size.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "interceptor/chain.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr Ssrc kMedia(0xB0);
constexpr Ssrc kRtx(0xB1);

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

StreamInfo Video() {
  StreamInfo info;
  info.ssrc = kMedia;
  info.retransmission_ssrc = kRtx;
  info.feedback.nack = true;
  info.video = true;
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(96)}));
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(97),
                               .role = PayloadRole::kRetransmission,
                               .associated = PayloadType(96)}));
  return info;
}

class Call {
 public:
  Call(const RepairScenario& scenario, RandomSource& random)
      : scenario_(scenario),
        generator_(*NackGenerator::Create({})),
        responder_(*NackResponder::Create({}, random)),
        generator_counters_(generator_->counters()),
        responder_counters_(responder_->counters()),
        sender_(std::move(responder_)),
        receiver_(std::move(generator_)),
        forward_(scenario.forward, random),
        back_(scenario.back, random) {
    SLUICE_CHECK(sender_.chain().AddStream(now_, PacketDirection::kOutgoing, Video()) ==
                 AddStreamVerdict::kOk);
    SLUICE_CHECK(receiver_.chain().AddStream(now_, PacketDirection::kIncoming, Video()) ==
                 AddStreamVerdict::kOk);
    sender_.Event(now_, RoundTripMeasured{RepairScenario::kRoundTrip});
    receiver_.Event(now_, RoundTripMeasured{RepairScenario::kRoundTrip});
  }

  RepairOutcome Run() {
    const Timestamp end = now_ + scenario_.duration;
    // Behind the last packet there is time for repair.
    const Timestamp silence = end + TimeDelta::Seconds(5);
    Timestamp next_send = now_;
    while (now_ < silence) {
      if (next_send <= now_ && now_ < end) {
        SendNext();
        next_send += RepairScenario::kSpacing;
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
                                       .WithPayloadSize(RepairScenario::kPayloadSize)
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

  RepairOutcome Judge() const {
    RepairOutcome outcome;
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
      const TimeDelta took = packet.delivered_at - (packet.sent + RepairScenario::kOneWay);
      outcome.recovered_soon += took <= 3 * RepairScenario::kRoundTrip ? 1 : 0;
      outcome.slowest = std::max(outcome.slowest, took);
    }
    outcome.generator = generator_counters_;
    outcome.responder = responder_counters_;
    return outcome;
  }

  const RepairScenario scenario_;
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

// What is printed of a scenario; the bars are those of its test.
void AddFigures(const char* name, const RepairScenario& scenario, double soon_bar,
                RandomSource& random, std::vector<ScenarioFigure>& figures) {
  const RepairOutcome outcome = RunRepair(scenario, random);
  figures.push_back({.scenario = name,
                     .what = "recovered within 3 round trips",
                     .value = outcome.soon_percent(),
                     .unit = "%",
                     .at_least = soon_bar});
  figures.push_back({.scenario = name,
                     .what = "recovered at all",
                     .value = outcome.recovered_percent(),
                     .unit = "%",
                     .at_least = 100});
  figures.push_back({.scenario = name,
                     .what = "repeated, of what was lost",
                     .value = Percent(outcome.responder.retransmitted, outcome.lost),
                     .unit = "%"});
}

}  // namespace

double RepairOutcome::soon_percent() const { return Percent(recovered_soon, lost); }
double RepairOutcome::recovered_percent() const { return Percent(recovered, lost); }

RepairOutcome RunRepair(const RepairScenario& scenario, RandomSource& random) {
  return Call(scenario, random).Run();
}

std::vector<ScenarioFigure> RepairFigures(uint64_t seed) {
  SeededRandom random(seed);
  std::vector<ScenarioFigure> figures;
  RepairScenario scenario;
  scenario.forward.lost_permille = 50;
  AddFigures("repair, 5 % loss", scenario, 99.0, random, figures);
  scenario.back.lost_permille = 50;
  // Two attempts fit into three round trips, each with two chances to get lost: 99.05 %.
  AddFigures("repair, 5 % loss both ways", scenario, 98.3, random, figures);
  scenario = RepairScenario();
  // Runs of five packets; 5 % in all.
  scenario.forward.burst_loss = {
      .to_bad_permille = 10, .to_good_permille = 200, .lost_permille = 1000};
  AddFigures("repair, 5 % loss in runs", scenario, 98.5, random, figures);
  return figures;
}

}  // namespace sluice

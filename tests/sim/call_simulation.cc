#include "tests/sim/call_simulation.h"

#include <utility>

#include "absl/status/status.h"
#include "base/data_size.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_event.h"
#include "gtest/gtest.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

CallSimulation::CallSimulation(const Options& options)
    : random_(options.seed), harness_(options.harness) {
  harness_.CreateSession("call", options.timeouts);
  StartSide(a_, "a", options.a, options.link);
  StartSide(b_, "b", options.b, options.link);
}

void CallSimulation::StartSide(Side& side, const std::string& leg_id,
                               const TestPeerOptions& options, const LinkOptions& link) {
  side.leg_id = leg_id;
  side.peer = std::make_unique<TestPeer>(options);
  side.link = std::make_unique<LinkEmulator<CallDatagram>>(link, random_);
  side.leg = harness_.AddLeg("call", leg_id, *side.peer);
}

absl::Status CallSimulation::Update(const Side& side, LegUpdate update) {
  return harness_.table().UpdateLeg(now(), "call", side.leg_id, std::move(update));
}

void CallSimulation::Run(TimeDelta duration, const std::function<void()>& tick) {
  for (const Timestamp end = now() + duration; now() < end; harness_.Advance(kTick), ++ticks_) {
    if (tick != nullptr) {
      tick();
    }
    for (Side* side : {&a_, &b_}) {
      Talk(*side);
      QueueArrived(*side);
    }
    harness_.Deliver();
    for (const SentPacket& packet : harness_.TakeSent()) {
      Collect(packet);
    }
    for (const SessionEvent& event : harness_.TakeEvents()) {
      events_.push_back(event);
    }
  }
}

void CallSimulation::Talk(Side& side) {
  if (!side.talks) {
    return;
  }
  TestPeer& peer = *side.peer;
  if (ticks_ % kTicksPerRtp == 0) {
    const Bytes bytes = peer.NextRtp();
    side.sent.insert(peer.last_plain());
    Launch(side, {Component::kRtp, peer.rtp, bytes});
  }
  if (ticks_ % kTicksPerRtcp == kTicksPerRtcp - 1) {
    const Bytes bytes = peer.NextRtcp();
    side.sent.insert(peer.last_plain());
    const Component component = peer.rtp == peer.rtcp ? Component::kRtp : Component::kRtcp;
    Launch(side, {component, peer.rtcp, bytes});
  }
}

void CallSimulation::Launch(Side& side, CallDatagram datagram) {
  const DataSize size = DataSize::Bytes(static_cast<int64_t>(datagram.bytes.size()));
  side.link->Send(now(), size, std::move(datagram));
}

void CallSimulation::QueueArrived(Side& side) {
  while (const std::optional<CallDatagram> datagram = side.link->Receive(now())) {
    harness_.Queue(side.leg, datagram->component, datagram->source, datagram->bytes);
  }
}

void CallSimulation::Inject(const Side& to, Component component, const TransportAddress& source,
                            const Bytes& bytes) {
  harness_.Queue(to.leg, component, source, bytes);
}

void CallSimulation::Collect(const SentPacket& packet) {
  Side& to = packet.leg == a_.leg ? a_ : b_;
  const Side& from = packet.leg == a_.leg ? b_ : a_;
  const PacketKind kind = LooksLikeRtcp(packet.bytes) ? PacketKind::kRtcp : PacketKind::kRtp;
  const TransportAddress& right = kind == PacketKind::kRtp ? to.peer->rtp : to.peer->rtcp;
  if (packet.destination != right) {
    ++leaked_;
    return;
  }
  const std::optional<Bytes> plain = to.peer->Open(packet.bytes, kind);
  if (!plain.has_value()) {
    ++to.unopened;
  } else if (!from.sent.contains(*plain)) {
    ++to.foreign;
  } else {
    ++to.received[*plain];
  }
}

void CallSimulation::ExpectSound() {
  EXPECT_EQ(leaked_, 0u);
  for (const Side* side : {&a_, &b_}) {
    EXPECT_EQ(side->unopened, 0u) << "leg " << side->leg_id;
    EXPECT_EQ(side->foreign, 0u) << "leg " << side->leg_id;
    const LegSnapshot leg = Leg(*side);
    EXPECT_EQ(ReceivedVerdicts(leg), leg.packets_received) << "leg " << side->leg_id;
  }
  EXPECT_EQ(harness_.arena().free(), harness_.arena().capacity());
}

}  // namespace sluice

#ifndef TESTS_SIM_CALL_SIMULATION_H_
#define TESTS_SIM_CALL_SIMULATION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_spec.h"
#include "gateway/session/testing/session_harness.h"
#include "srtp/packet_kind.h"
#include "tests/sim/link_emulator.h"

namespace sluice {

// A datagram on its way to the gateway.
struct CallDatagram {
  Component component = Component::kRtp;
  TransportAddress source;
  std::vector<uint8_t> bytes;
};

// A call of two peers through a session table, in virtual time and without sockets. Each peer sends
// an RTP packet every 20 ms and RTCP every five seconds over a link of its own, and opens what the
// gateway sends it.
class CallSimulation {
 public:
  struct Options {
    uint64_t seed = 1;
    TestPeerOptions a = {.host = 1};
    TestPeerOptions b = {.host = 2};
    LinkOptions link;
    SessionTimeouts timeouts;
    SessionHarness::Options harness = {};
  };

  // One peer and what became of its packets.
  struct Side {
    std::string leg_id;
    LegHandle leg;
    std::unique_ptr<TestPeer> peer;
    std::unique_ptr<LinkEmulator<CallDatagram>> link;
    // Whether it sends.
    bool talks = true;
    // Plain packets that it sent.
    std::set<Bytes> sent;
    // Plain packets of the other side that came to its addresses, and how often.
    std::map<Bytes, int> received;
    // Of what came to its addresses: does not open with its keys.
    uint64_t unopened = 0;
    // ... opens, but the other side never sent it.
    uint64_t foreign = 0;
  };

  explicit CallSimulation(const Options& options);

  // Lets time pass. `tick`, if given, is called every 5 ms, before packets are delivered.
  void Run(TimeDelta duration, const std::function<void()>& tick = nullptr);

  // A datagram that does not come from a peer.
  void Inject(const Side& to, Component component, const TransportAddress& source,
              const Bytes& bytes);

  Side& a() { return a_; }
  Side& b() { return b_; }
  LegSnapshot Leg(const Side& side) { return harness_.Leg("call", side.leg_id); }
  absl::Status Update(const Side& side, LegUpdate update);
  SessionHarness& harness() { return harness_; }
  SeededRandom& random() { return random_; }
  Timestamp now() { return harness_.now(); }

  // Packets that the gateway sent to an address that is no peer's.
  uint64_t leaked() const { return leaked_; }
  const std::vector<SessionEvent>& events() const { return events_; }

  // Fails the test unless all was opened, nothing leaked and no verdict and no slot was lost.
  void ExpectSound();

 private:
  static constexpr TimeDelta kTick = TimeDelta::Millis(5);
  static constexpr int kTicksPerRtp = 4;
  static constexpr int kTicksPerRtcp = 1000;

  void StartSide(Side& side, const std::string& leg_id, const TestPeerOptions& options,
                 const LinkOptions& link);
  void Talk(Side& side);
  void Launch(Side& side, CallDatagram datagram);
  void QueueArrived(Side& side);
  void Collect(const SentPacket& packet);

  SeededRandom random_;
  SessionHarness harness_;
  Side a_;
  Side b_;
  uint64_t ticks_ = 0;
  uint64_t leaked_ = 0;
  std::vector<SessionEvent> events_;
};

}  // namespace sluice

#endif  // TESTS_SIM_CALL_SIMULATION_H_

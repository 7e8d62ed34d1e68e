// An attacker sprays the ports of a call before, during and after the learning window. Nothing of
// it comes out anywhere, nothing of the call goes to the attacker, and the call does not notice.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_event.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/testing/packet_builder.h"
#include "tests/sim/call_simulation.h"

namespace sluice {
namespace {

constexpr SuiteId kSuite = SuiteId::kAesCm128HmacSha1_32;
constexpr TimeDelta kWindow = TimeDelta::Seconds(10);

// Knows the ports and the SSRCs, and no key.
class Attacker {
 public:
  explicit Attacker(CallSimulation& call) : call_(call) {}

  // What was seen on the wire, to be played again later.
  void Overhear(Bytes bytes) { overheard_.push_back(std::move(bytes)); }

  // One datagram of each kind to each port.
  void Spray(const CallSimulation::Side& side) {
    const uint32_t ssrc = side.peer->ssrc();
    const TransportAddress source = Source();
    const Bytes rtp = RtpPacketBuilder()
                          .WithSsrc(ssrc)
                          .WithSequence(static_cast<uint16_t>(random().NextU32()))
                          .WithPayloadSize(160)
                          .Build();
    const Bytes rtcp = RtcpPacketBuilder().AddSenderReport(ssrc, 1, 2, 3, 4).Build();
    for (const Component component : {Component::kRtp, Component::kRtcp}) {
      Send(side, component, source, rtp);
      Send(side, component, source, WithGarbage(rtp, 4));
      Send(side, component, source, WithGarbage(rtp, 16));
      Send(side, component, source, rtcp);
      Send(side, component, source, WithGarbage(rtcp, 14));
      Send(side, component, source, WithGarbage({0x80}, 40));
      Send(side, component, source, WithGarbage({}, 50));
    }
    if (!overheard_.empty()) {
      Send(side, Component::kRtp, source, overheard_[random().Below(overheard_.size())]);
    }
  }

  uint64_t sent() const { return sent_; }

 private:
  SeededRandom& random() { return call_.random(); }
  // Now this port, now that.
  TransportAddress Source() {
    return TestAddress(66, static_cast<uint16_t>(1024 + random().Below(4)));
  }
  Bytes WithGarbage(Bytes bytes, size_t count) {
    const size_t size = bytes.size();
    bytes.resize(size + count);
    random().Fill(absl::MakeSpan(bytes).subspan(size));
    return bytes;
  }
  void Send(const CallSimulation::Side& side, Component component, const TransportAddress& source,
            const Bytes& bytes) {
    call_.Inject(side, component, source, bytes);
    ++sent_;
  }

  CallSimulation& call_;
  std::vector<Bytes> overheard_;
  uint64_t sent_ = 0;
};

CallSimulation::Options Call(uint64_t seed, const TestPeerOptions& a) {
  return {.seed = seed, .a = a, .b = {.host = 2}, .link = {}, .timeouts = {}};
}

// Verdicts of accepted packets.
uint64_t Accepted(const LegSnapshot& leg) {
  return VerdictCount(leg, PacketVerdict::kForwarded) +
         VerdictCount(leg, PacketVerdict::kNoDestination) +
         VerdictCount(leg, PacketVerdict::kOnHold);
}

TEST(AddressSprayTest, ASecureLegThatLearnsFollowsItsPeerAndNobodyElse) {
  const uint64_t first_seed = SeededRandom::SeedFromEnvOr(20);
  for (uint64_t seed = first_seed; seed < first_seed + 3; ++seed) {
    SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
    CallSimulation call(Call(seed, {.host = 1,
                                    .suite = kSuite,
                                    .rtcp_mux = false,
                                    .learning = AddressLearning::kLearn,
                                    .signalled = false}));
    Attacker attacker(call);
    const auto spray = [&] { attacker.Spray(call.a()); };
    // The attacker is there first.
    call.a().talks = false;
    call.Run(TimeDelta::Seconds(2), spray);
    EXPECT_EQ(Accepted(call.Leg(call.a())), 0u);
    EXPECT_EQ(call.Leg(call.a()).remote_rtp, std::nullopt);
    // The peer comes, from an address that nobody signalled.
    call.a().talks = true;
    call.Run(TimeDelta::Seconds(4), spray);
    EXPECT_EQ(call.Leg(call.a()).remote_rtp, call.a().peer->rtp);
    // The window closes, and the attacker stays.
    call.Run(TimeDelta::Seconds(30), spray);
    EXPECT_EQ(call.Leg(call.a()).remote_rtp, call.a().peer->rtp);
    call.ExpectSound();
    EXPECT_EQ(call.b().received.size(), call.a().sent.size());
    EXPECT_EQ(Accepted(call.Leg(call.a())), call.a().sent.size());
    EXPECT_EQ(call.Leg(call.a()).packets_received, call.a().sent.size() + attacker.sent());
    uint64_t changes = 0;
    for (const SessionEvent& event : call.events()) {
      changes += event.kind == SessionEventKind::kRemoteAddressChanged ? 1 : 0;
    }
    EXPECT_EQ(changes, 1u);
    EXPECT_EQ(call.Leg(call.a()).streams.size(), 2u) << "one each way";
  }
}

TEST(AddressSprayTest, PacketsPlayedAgainFromElsewhereTeachNothing) {
  CallSimulation call(Call(30, {.host = 1, .suite = kSuite, .learning = AddressLearning::kLearn}));
  Attacker attacker(call);
  // Everything the peer sends is overheard, and comes again from the attacker's address.
  for (int i = 0; i < 400; ++i) {
    const Bytes packet = call.a().peer->NextRtp();
    call.a().sent.insert(call.a().peer->last_plain());
    call.Inject(call.a(), Component::kRtp, call.a().peer->rtp, packet);
    attacker.Overhear(packet);
    call.a().talks = false;
    call.Run(TimeDelta::Millis(20), [&] { attacker.Spray(call.a()); });
  }
  EXPECT_EQ(call.Leg(call.a()).remote_rtp, call.a().peer->rtp);
  EXPECT_FALSE(call.Leg(call.a()).remote_learned);
  EXPECT_GT(VerdictCount(call.Leg(call.a()), PacketVerdict::kReplayed), 1'000u);
  call.ExpectSound();
}

TEST(AddressSprayTest, StrictLegsLookAtNothingFromElsewhere) {
  for (const auto& suite : {std::optional<SuiteId>(), std::optional<SuiteId>(kSuite)}) {
    CallSimulation call(Call(40, {.host = 1, .suite = suite}));
    Attacker attacker(call);
    call.Run(TimeDelta::Seconds(20), [&] { attacker.Spray(call.a()); });
    call.ExpectSound();
    const LegSnapshot leg = call.Leg(call.a());
    EXPECT_EQ(Accepted(leg), call.a().sent.size());
    EXPECT_EQ(call.b().received.size(), call.a().sent.size());
    EXPECT_EQ(VerdictCount(leg, PacketVerdict::kAuthFailed), 0u) << "no crypto for strangers";
    EXPECT_GT(VerdictCount(leg, PacketVerdict::kUnexpectedSource), 1'000u);
  }
}

TEST(AddressSprayTest, APlainLegLearnsThePortOfItsPeerAndNoOtherHost) {
  for (const bool mux : {false, true}) {
    CallSimulation call(
        Call(50, {.host = 1, .rtcp_mux = mux, .learning = AddressLearning::kLearn}));
    // Behind an address translation: the host is as signalled, the ports are not.
    call.a().peer->rtp.port = 40'000;
    call.a().peer->rtcp.port = mux ? 40'000 : 40'001;
    Attacker attacker(call);
    const auto spray = [&] { attacker.Spray(call.a()); };
    call.a().talks = false;
    call.b().talks = false;
    call.Run(TimeDelta::Seconds(2), spray);
    EXPECT_EQ(Accepted(call.Leg(call.a())), 0u);
    call.a().talks = true;
    call.b().talks = true;
    call.Run(kWindow + TimeDelta::Seconds(20), spray);
    call.ExpectSound();
    EXPECT_EQ(call.Leg(call.a()).remote_rtp, call.a().peer->rtp);
    EXPECT_EQ(Accepted(call.Leg(call.a())), call.a().sent.size());
    EXPECT_EQ(call.b().received.size(), call.a().sent.size());
    EXPECT_EQ(call.a().received.size(), call.b().sent.size());
  }
}

TEST(AddressSprayTest, WithoutItsKeyALegIsDeaf) {
  CallSimulation call(Call(60, {.host = 1, .suite = kSuite, .learning = AddressLearning::kLearn}));
  SessionHarness& harness = call.harness();
  LegSpec spec = call.a().peer->Spec("deaf");
  spec.remote_key.reset();
  const LegHandle deaf =
      *harness.table().AddLeg(call.now(), "call", std::move(spec), call.a().peer->Local());
  ASSERT_TRUE(harness.table().SetForwarding("call", {{"deaf", {"b"}}}).ok());
  call.a().talks = false;
  call.b().talks = false;
  call.a().leg = deaf;
  Attacker attacker(call);
  call.Run(TimeDelta::Seconds(5), [&] { attacker.Spray(call.a()); });
  const LegSnapshot leg = harness.Leg("call", "deaf");
  EXPECT_EQ(Accepted(leg), 0u);
  EXPECT_GT(VerdictCount(leg, PacketVerdict::kNoKey), 1'000u);
  EXPECT_EQ(ReceivedVerdicts(leg), attacker.sent());
  EXPECT_TRUE(call.b().received.empty());
  EXPECT_EQ(call.leaked(), 0u);
}

}  // namespace
}  // namespace sluice

#include "gateway/session/packet_pipeline.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/outbox.h"
#include "gateway/session/received_datagram.h"
#include "gateway/session/session_event.h"
#include "gateway/session/session_spec.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

// Everything here goes through the door of the room, as a worker would.
namespace sluice {
namespace {

using Verdict = PacketVerdict;

constexpr SuiteId kSuite = SuiteId::kAeadAes128Gcm;
constexpr SuiteId kOtherSuite = SuiteId::kAesCm128HmacSha1_80;
const TransportAddress kAttacker = TestAddress(66, 6666);

// Two peers and the session that bridges them.
struct Bridge {
  Bridge(const TestPeerOptions& a_options, const TestPeerOptions& b_options,
         const SessionHarness::Options& options = {})
      : harness(options), a(a_options), b(b_options) {
    harness.CreateSession("call");
    a_leg = harness.AddLeg("call", "a", a);
    b_leg = harness.AddLeg("call", "b", b);
  }

  LegSnapshot A() { return harness.Leg("call", "a"); }
  LegSnapshot B() { return harness.Leg("call", "b"); }

  // The verdict of one datagram that comes alone to leg a.
  std::optional<Verdict> VerdictOf(Component component, const TransportAddress& source,
                                   absl::Span<const uint8_t> bytes, bool truncated = false) {
    const LegSnapshot before = A();
    harness.Queue(a_leg, component, source, bytes, truncated);
    harness.Deliver();
    const LegSnapshot after = A();
    std::optional<Verdict> verdict;
    for (size_t i = 0; i < kPacketVerdictCount; ++i) {
      if (after.verdicts[i] != before.verdicts[i]) {
        EXPECT_EQ(after.verdicts[i], before.verdicts[i] + 1);
        EXPECT_FALSE(verdict.has_value()) << "two verdicts for one datagram";
        verdict = static_cast<Verdict>(i);
      }
    }
    EXPECT_EQ(after.packets_received, before.packets_received + 1);
    EXPECT_EQ(after.bytes_received, before.bytes_received + bytes.size());
    return verdict;
  }

  SessionHarness harness;
  TestPeer a;
  TestPeer b;
  LegHandle a_leg;
  LegHandle b_leg;
};

TestPeerOptions PlainPeer(uint8_t host) { return {.host = host}; }
TestPeerOptions SecurePeer(uint8_t host, SuiteId suite = kSuite) {
  return {.host = host, .suite = suite};
}

Bytes Rtp(uint32_t ssrc = 1) {
  return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(1).WithPayloadSize(20).Build();
}
Bytes Rtcp() { return RtcpPacketBuilder().AddReceiverReport(1).Build(); }

TEST(PacketPipelineTest, BridgesBothWaysBetweenAnyTwoKindsOfLegs) {
  const std::optional<SuiteId> kKinds[] = {std::nullopt, SuiteId::kAesCm128HmacSha1_80,
                                           SuiteId::kAesCm128HmacSha1_32, SuiteId::kAeadAes128Gcm,
                                           SuiteId::kAeadAes256Gcm};
  for (const auto& a_suite : kKinds) {
    for (const auto& b_suite : kKinds) {
      Bridge call({.host = 1, .suite = a_suite}, {.host = 2, .suite = b_suite});
      for (int i = 0; i < 3; ++i) {
        call.harness.ReceiveRtp(call.a_leg, call.a);
        std::vector<SentPacket> sent = call.harness.TakeSent();
        ASSERT_EQ(sent.size(), 1u);
        EXPECT_EQ(sent[0].destination, call.b.rtp);
        EXPECT_EQ(sent[0].socket, call.b.Local().rtp_socket);
        EXPECT_EQ(sent[0].leg, call.b_leg);
        EXPECT_EQ(call.b.Open(sent[0].bytes, PacketKind::kRtp), call.a.last_plain());

        call.harness.ReceiveRtcp(call.b_leg, call.b);
        sent = call.harness.TakeSent();
        ASSERT_EQ(sent.size(), 1u);
        EXPECT_EQ(sent[0].destination, call.a.rtcp);
        EXPECT_EQ(sent[0].socket, call.a.Local().rtcp_socket);
        EXPECT_EQ(call.a.Open(sent[0].bytes, PacketKind::kRtcp), call.b.last_plain());
      }
      EXPECT_EQ(VerdictCount(call.A(), Verdict::kForwarded), 3u);
      EXPECT_EQ(VerdictCount(call.B(), Verdict::kSent), 3u);
      EXPECT_EQ(call.B().packets_sent, 3u);
    }
  }
}

TEST(PacketPipelineTest, WithMuxRtcpSharesThePortOnThatLegOnly) {
  Bridge call({.host = 1, .suite = kSuite, .rtcp_mux = true}, PlainPeer(2));
  call.harness.ReceiveRtcp(call.a_leg, call.a);
  std::vector<SentPacket> sent = call.harness.TakeSent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].destination, call.b.rtcp);
  EXPECT_EQ(sent[0].socket, call.b.Local().rtcp_socket);
  call.harness.ReceiveRtcp(call.b_leg, call.b);
  sent = call.harness.TakeSent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].destination, call.a.rtp);
  EXPECT_EQ(sent[0].socket, call.a.Local().rtp_socket);
}

TEST(PacketPipelineTest, EveryKindOfPlainDatagramHasItsVerdict) {
  const TransportAddress rtp = TestAddress(1, 5004);
  const TransportAddress rtcp = TestAddress(1, 5005);
  Bytes version_1 = Rtp();
  version_1[0] = 0x40;
  Bytes padded = Rtp();
  padded[0] |= 0x20;
  padded.back() = 255;
  Bytes bad_csrc = Rtp();
  bad_csrc[0] |= 0x0F;
  Bytes cut_rtcp = Rtcp();
  cut_rtcp[3] = 9;
  const struct {
    const char* what;
    Component component;
    TransportAddress source;
    Bytes bytes;
    bool truncated;
    Verdict verdict;
  } kTable[] = {
      {"good RTP", Component::kRtp, rtp, Rtp(), false, Verdict::kForwarded},
      {"good RTCP", Component::kRtcp, rtcp, Rtcp(), false, Verdict::kForwarded},
      {"longer than a slot", Component::kRtp, rtp, Rtp(), true, Verdict::kTruncated},
      {"longer than a slot, from an attacker", Component::kRtp, kAttacker, Rtp(), true,
       Verdict::kTruncated},
      {"empty", Component::kRtp, rtp, {}, false, Verdict::kNotMedia},
      {"STUN", Component::kRtp, rtp, {0, 1, 0, 0}, false, Verdict::kNotMedia},
      {"DTLS", Component::kRtp, rtp, {22, 254, 253}, false, Verdict::kNotMedia},
      {"version 1", Component::kRtp, rtp, version_1, false, Verdict::kNotMedia},
      {"RTCP on the RTP port", Component::kRtp, rtp, Rtcp(), false, Verdict::kWrongPort},
      {"RTP on the RTCP port", Component::kRtcp, rtcp, Rtp(), false, Verdict::kWrongPort},
      {"one byte", Component::kRtp, rtp, {0x80}, false, Verdict::kMalformed},
      {"padding larger than the payload", Component::kRtp, rtp, padded, false, Verdict::kMalformed},
      {"CSRCs past the end", Component::kRtp, rtp, bad_csrc, false, Verdict::kMalformed},
      {"RTCP length past the end", Component::kRtcp, rtcp, cut_rtcp, false, Verdict::kMalformed},
      {"malformed and from elsewhere", Component::kRtp, kAttacker, bad_csrc, false,
       Verdict::kMalformed},
      {"from elsewhere", Component::kRtp, kAttacker, Rtp(), false, Verdict::kUnexpectedSource},
      {"RTCP from elsewhere", Component::kRtcp, kAttacker, Rtcp(), false,
       Verdict::kUnexpectedSource},
  };
  Bridge call(PlainPeer(1), PlainPeer(2));
  for (const auto& row : kTable) {
    EXPECT_EQ(call.VerdictOf(row.component, row.source, row.bytes, row.truncated), row.verdict)
        << row.what;
    const bool forwarded = row.verdict == Verdict::kForwarded;
    EXPECT_EQ(call.harness.TakeSent().size(), forwarded ? 1u : 0u) << row.what;
    if (!forwarded) {
      EXPECT_EQ(call.A().last_reject, row.verdict) << row.what;
    }
  }
  EXPECT_EQ(ReceivedVerdicts(call.A()), std::size(kTable));
  EXPECT_EQ(call.A().streams.size(), 1u) << "only good packets make a stream";
}

TEST(PacketPipelineTest, SecureLegsTakeNothingWithoutATrueTag) {
  Bridge call(SecurePeer(1), PlainPeer(2));
  const Bytes good = call.a.NextRtp();
  Bytes forged = call.a.NextRtp();
  forged.back() ^= 1;
  Bytes bad_csrc = forged;
  bad_csrc[0] |= 0x0F;
  bad_csrc.resize(60);
  const Bytes from_elsewhere = call.a.NextRtp();
  Bytes forged_rtcp = call.a.NextRtcp();
  forged_rtcp[10] ^= 1;
  const Bytes unpadded = call.a.Protected(
      [] {
        Bytes bytes = RtpPacketBuilder().WithSsrc(7).WithPayloadSize(4).Build();
        bytes[0] |= 0x20;
        bytes.back() = 200;
        return bytes;
      }(),
      PacketKind::kRtp);
  const struct {
    const char* what;
    Component component;
    TransportAddress source;
    Bytes bytes;
    Verdict verdict;
  } kTable[] = {
      {"good", Component::kRtp, call.a.rtp, good, Verdict::kForwarded},
      {"replayed", Component::kRtp, call.a.rtp, good, Verdict::kReplayed},
      {"forged", Component::kRtp, call.a.rtp, forged, Verdict::kAuthFailed},
      {"forged RTCP", Component::kRtcp, call.a.rtcp, forged_rtcp, Verdict::kAuthFailed},
      {"plain RTP", Component::kRtp, call.a.rtp, Rtp(), Verdict::kAuthFailed},
      {"malformed header", Component::kRtp, call.a.rtp, bad_csrc, Verdict::kMalformed},
      {"true tag, wrong source", Component::kRtp, kAttacker, from_elsewhere,
       Verdict::kUnexpectedSource},
      {"true tag, malformed inside", Component::kRtp, call.a.rtp, unpadded, Verdict::kMalformed},
      {"shorter than a tag", Component::kRtp, call.a.rtp, Bytes(good.begin(), good.begin() + 13),
       Verdict::kMalformed},
  };
  for (const auto& row : kTable) {
    EXPECT_EQ(call.VerdictOf(row.component, row.source, row.bytes), row.verdict) << row.what;
    EXPECT_EQ(call.harness.TakeSent().size(), row.verdict == Verdict::kForwarded ? 1u : 0u)
        << row.what;
  }
  EXPECT_EQ(call.A().streams.size(), 1u);
  EXPECT_EQ(call.VerdictOf(Component::kRtp, call.a.rtp, from_elsewhere), Verdict::kForwarded)
      << "a packet refused for its source was not seen by the replay window";
}

TEST(PacketPipelineTest, SecureLegsWithoutARemoteKeyTakeNothing) {
  SessionHarness harness;
  harness.CreateSession("call");
  TestPeer a(SecurePeer(1));
  TestPeer b(PlainPeer(2));
  LegSpec spec = a.Spec("a");
  spec.remote_key.reset();
  const LegHandle a_leg =
      *harness.table().AddLeg(harness.now(), "call", std::move(spec), a.Local());
  harness.AddLeg("call", "b", b);
  harness.ReceiveRtp(a_leg, a);
  harness.Receive(a_leg, Component::kRtp, kAttacker, a.NextRtp());
  EXPECT_TRUE(harness.TakeSent().empty());
  EXPECT_EQ(VerdictCount(harness.Leg("call", "a"), Verdict::kNoKey), 1u);
  EXPECT_EQ(VerdictCount(harness.Leg("call", "a"), Verdict::kUnexpectedSource), 1u);
}

TEST(PacketPipelineTest, EveryPrefixOfAPacketIsDroppedWithOneVerdict) {
  for (const auto& suite : {std::optional<SuiteId>(), std::optional<SuiteId>(kSuite),
                            std::optional<SuiteId>(kOtherSuite)}) {
    for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
      Bridge call({.host = 1, .suite = suite}, PlainPeer(2));
      const bool rtp = kind == PacketKind::kRtp;
      const Bytes whole = rtp ? call.a.NextRtp() : call.a.NextRtcp();
      const TransportAddress source = rtp ? call.a.rtp : call.a.rtcp;
      const Component component = rtp ? Component::kRtp : Component::kRtcp;
      size_t forwarded = 0;
      for (size_t size = 0; size < whole.size(); ++size) {
        const auto prefix = absl::MakeConstSpan(whole).first(size);
        const auto verdict = call.VerdictOf(component, source, prefix);
        ASSERT_TRUE(verdict.has_value() && IsReceivedVerdict(*verdict)) << size;
        forwarded += call.harness.TakeSent().size();
      }
      // A plain packet may end anywhere in its payload, and a plain compound after its first
      // packet.
      const size_t payload_sizes = whole.size() - kRtpFixedHeaderSize;
      EXPECT_EQ(forwarded, suite.has_value() ? 0u : rtp ? payload_sizes : 1u);
      EXPECT_EQ(call.VerdictOf(component, source, whole), Verdict::kForwarded);
      EXPECT_EQ(call.harness.TakeSent().size(), 1u);
      EXPECT_EQ(call.harness.arena().free(), call.harness.arena().capacity());
    }
  }
}

TEST(PacketPipelineTest, PacketsOfOneBatchSeeWhatThoseBeforeThemDid) {
  // The first packet locks the address; the second, from elsewhere, is too late.
  Bridge call({.host = 1, .learning = AddressLearning::kLearn, .signalled = false}, PlainPeer(2));
  const TransportAddress first = TestAddress(7, 7000);
  call.harness.Queue(call.a_leg, Component::kRtp, first, Rtp());
  call.harness.Queue(call.a_leg, Component::kRtp, kAttacker, Rtp());
  call.harness.Deliver();
  EXPECT_EQ(call.harness.TakeSent().size(), 1u);
  EXPECT_EQ(call.A().remote_rtp, first);
  EXPECT_EQ(VerdictCount(call.A(), Verdict::kUnexpectedSource), 1u);
}

TEST(PacketPipelineTest, AReplayInTheSameBatchIsSeen) {
  Bridge call(SecurePeer(1), PlainPeer(2));
  const Bytes packet = call.a.NextRtp();
  for (int i = 0; i < 3; ++i) {
    call.harness.Queue(call.a_leg, Component::kRtp, call.a.rtp, packet);
  }
  call.harness.Deliver();
  EXPECT_EQ(call.harness.TakeSent().size(), 1u);
  EXPECT_EQ(VerdictCount(call.A(), Verdict::kReplayed), 2u);
}

TEST(PacketPipelineTest, BatchesLongerThanThePortionKeepTheirOrder) {
  Bridge call(SecurePeer(1), SecurePeer(2),
              {.limits = {.sessions = 1,
                          .legs = 2,
                          .legs_per_session = 2,
                          .streams_per_leg = 4,
                          .receive_batch = 4,
                          .destinations_per_leg = 1}});
  std::vector<Bytes> plain;
  for (int i = 0; i < 23; ++i) {
    call.harness.Queue(call.a_leg, Component::kRtp, call.a.rtp, call.a.NextRtp());
    plain.push_back(call.a.last_plain());
  }
  call.harness.Deliver();
  const std::vector<SentPacket> sent = call.harness.TakeSent();
  ASSERT_EQ(sent.size(), plain.size());
  for (size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(call.b.Open(sent[i].bytes, PacketKind::kRtp), plain[i]) << i;
  }
}

TEST(PacketPipelineTest, MixedBatchesLeaveInTheOrderOfTheirArrival) {
  Bridge call(SecurePeer(1), PlainPeer(2));
  for (int i = 0; i < 5; ++i) {
    call.harness.Queue(call.a_leg, Component::kRtp, call.a.rtp, call.a.NextRtp());
    call.harness.Queue(call.b_leg, Component::kRtp, call.b.rtp, call.b.NextRtp());
  }
  call.harness.Deliver();
  const std::vector<SentPacket> sent = call.harness.TakeSent();
  ASSERT_EQ(sent.size(), 10u);
  for (size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i].leg, i % 2 == 0 ? call.b_leg : call.a_leg) << i;
  }
}

TEST(PacketPipelineTest, AFullOutboxIsAVerdictOfTheLegThatWouldHaveGotThePacket) {
  SessionHarness::Options options;
  options.outbox_packets = 2;
  Bridge call(PlainPeer(1), SecurePeer(2), options);
  for (int i = 0; i < 5; ++i) {
    call.harness.Queue(call.a_leg, Component::kRtp, call.a.rtp, call.a.NextRtp());
  }
  call.harness.Deliver();
  EXPECT_EQ(VerdictCount(call.A(), Verdict::kForwarded), 5u);
  EXPECT_EQ(VerdictCount(call.B(), Verdict::kOutboxFull), 3u);
  EXPECT_EQ(call.harness.TakeSent().size(), 2u);
  EXPECT_EQ(SentVerdicts(call.B()), 5u);
  EXPECT_EQ(call.B().streams.at(0).packets, 2u) << "only what was handed on counts as sent";
  EXPECT_EQ(call.harness.arena().free(), call.harness.arena().capacity());
}

TEST(PacketPipelineTest, ASequenceNumberSentTwiceIsRefusedByTheSecureLeg) {
  Bridge call(PlainPeer(1), SecurePeer(2));
  const Bytes packet = call.a.NextRtp();
  call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp, packet);
  call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp, packet);
  EXPECT_EQ(call.harness.TakeSent().size(), 1u);
  EXPECT_EQ(VerdictCount(call.B(), Verdict::kIndexReused), 1u);
  EXPECT_EQ(VerdictCount(call.A(), Verdict::kForwarded), 2u);
}

TEST(PacketPipelineTest, MoreSsrcsThanTheSenderKeepsAreRefused) {
  Bridge call(PlainPeer(1), SecurePeer(2));
  constexpr uint32_t kStreamsPerLeg = 8;
  for (uint32_t ssrc = 0; ssrc < kStreamsPerLeg + 3; ++ssrc) {
    call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp, Rtp(ssrc));
  }
  EXPECT_EQ(call.harness.TakeSent().size(), kStreamsPerLeg);
  EXPECT_EQ(VerdictCount(call.B(), Verdict::kTooManyStreams), 3u);
  EXPECT_EQ(call.B().streams.size(), kStreamsPerLeg);
}

TEST(PacketPipelineTest, NothingGoesToALegWhosePeerIsNotKnown) {
  Bridge call(PlainPeer(1), {.host = 2, .suite = kSuite, .signalled = false});
  call.harness.ReceiveRtp(call.a_leg, call.a);
  EXPECT_TRUE(call.harness.TakeSent().empty());
  EXPECT_EQ(VerdictCount(call.A(), Verdict::kNoDestination), 1u);
  // Strict, so what authenticates is taken from anywhere, but nothing is learned.
  call.harness.ReceiveRtp(call.b_leg, call.b);
  EXPECT_EQ(call.harness.TakeSent().size(), 1u);
  EXPECT_EQ(call.B().remote_rtp, std::nullopt);
}

TEST(PacketPipelineTest, HoldStopsBothWaysOfALeg) {
  Bridge call(PlainPeer(1), PlainPeer(2));
  LegUpdate hold;
  hold.hold = true;
  ASSERT_TRUE(
      call.harness.table().UpdateLeg(call.harness.now(), "call", "a", std::move(hold)).ok());
  call.harness.ReceiveRtp(call.a_leg, call.a);
  call.harness.ReceiveRtp(call.b_leg, call.b);
  EXPECT_TRUE(call.harness.TakeSent().empty());
  EXPECT_EQ(VerdictCount(call.A(), Verdict::kOnHold), 1u);
  EXPECT_EQ(VerdictCount(call.B(), Verdict::kNoDestination), 1u);
}

TEST(PacketPipelineTest, TellsWhatPacketsBroughtAbout) {
  Bridge call({.host = 1, .suite = kSuite, .learning = AddressLearning::kLearn}, PlainPeer(2));
  call.harness.ReceiveRtcp(call.a_leg, call.a);
  EXPECT_TRUE(call.harness.TakeEvents().empty()) << "RTCP is no media";
  call.harness.ReceiveRtp(call.a_leg, call.a);
  std::vector<SessionEvent> events = call.harness.TakeEvents();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, SessionEventKind::kMediaStarted);
  EXPECT_EQ(events[0].session_id.view(), "call");
  EXPECT_EQ(events[0].leg_id.view(), "a");
  EXPECT_EQ(events[0].time, call.harness.now());
  EXPECT_EQ(events[1].kind, SessionEventKind::kStreamAdded);
  EXPECT_EQ(events[1].ssrc, Ssrc(call.a.ssrc()));

  const TransportAddress signalled = call.a.rtp;
  call.a.rtp = TestAddress(9, 9000);
  for (int i = 0; i < 10; ++i) {
    call.harness.ReceiveRtp(call.a_leg, call.a);
  }
  events = call.harness.TakeEvents();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, SessionEventKind::kRemoteAddressChanged);
  EXPECT_EQ(events[0].old_rtp, signalled);
  EXPECT_EQ(events[0].new_rtp, call.a.rtp);
}

TEST(PacketPipelineTest, DatagramsOfALegThatIsGoneAreDroppedQuietly) {
  Bridge call(PlainPeer(1), PlainPeer(2));
  ASSERT_TRUE(call.harness.table().RemoveLeg(call.harness.now(), "call", "a").ok());
  call.harness.ReceiveRtp(call.a_leg, call.a);
  call.harness.Receive(LegHandle(), Component::kRtp, call.a.rtp, Rtp());
  EXPECT_EQ(call.harness.table().stale_datagrams(), 2u);
  EXPECT_TRUE(call.harness.TakeSent().empty());
  EXPECT_TRUE(call.harness.TakeEvents().empty());
  EXPECT_EQ(call.harness.arena().free(), call.harness.arena().capacity());
  call.harness.table().HandleSendResult(call.a_leg, true, 100);
}

}  // namespace
}  // namespace sluice

// Two peers and a bridge between them whose legs have interceptors; what each peer gets is opened
// and read by somebody who knows only its keys.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/errors/error_detail.h"
#include "gateway/leg/chain_parts.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/media_description.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/outbox.h"
#include "gateway/session/session_event.h"
#include "gateway/session/session_table.h"
#include "gateway/session/testing/session_harness.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp/nack.h"
#include "interceptor/rtcp/pli.h"
#include "interceptor/rtcp/receiver_report.h"
#include "interceptor/rtcp/sdes.h"
#include "interceptor/rtcp/sender_report.h"
#include "interceptor/rtcp/transport_feedback.h"
#include "interceptor/stream_info.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_kind.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint8_t kVideo = 96;
constexpr uint8_t kRtx = 97;
constexpr uint8_t kTransportSequence = 5;

PayloadDescription Payload(uint8_t number, const std::string& name, StreamFeedback feedback = {}) {
  PayloadDescription type;
  type.payload_type = PayloadType(number);
  type.encoding_name = name;
  type.clock_rate = 90'000;
  type.feedback = feedback;
  return type;
}

std::vector<PayloadDescription> Video(StreamFeedback feedback) {
  std::vector<PayloadDescription> types = {Payload(kVideo, "VP8", feedback), Payload(kRtx, "rtx")};
  types[1].associated = PayloadType(kVideo);
  return types;
}

TestPeerOptions VideoPeer(uint8_t host, StreamFeedback feedback) {
  TestPeerOptions options;
  options.host = host;
  options.suite = SuiteId::kAeadAes128Gcm;
  options.rtcp_mux = true;
  options.payload_types = Video(feedback);
  return options;
}

constexpr StreamFeedback kRepair = {.nack = true, .picture_loss_indication = true};

// What is of interest in the RTCP that a peer got.
struct RtcpSeen {
  std::vector<uint16_t> missing;
  std::vector<Ssrc> nack_media;
  std::vector<Ssrc> picture_losses;
  int sender_reports = 0;
  int receiver_reports = 0;
  int report_blocks = 0;
  std::vector<std::string> cnames;
  int transport_feedback = 0;
  // Datagrams.
  int datagrams = 0;
};

struct PeerSeen {
  std::vector<Bytes> rtp;
  RtcpSeen rtcp;
};

// The call.
class Call {
 public:
  Call(const TestPeerOptions& a_options, const TestPeerOptions& b_options)
      : a(a_options), b(b_options) {
    harness.CreateSession("call");
    a_leg = harness.AddLeg("call", "a", a);
    b_leg = harness.AddLeg("call", "b", b);
  }

  // Everything that was sent since the last time, by who got it.
  void TakeSent() {
    for (const SentPacket& packet : harness.TakeSent()) {
      const bool to_a = packet.leg == a_leg;
      TestPeer& peer = to_a ? a : b;
      PeerSeen& seen = to_a ? a_seen : b_seen;
      const bool rtcp = packet.bytes[1] >= 192 && packet.bytes[1] <= 223;
      const std::optional<Bytes> plain =
          peer.Open(packet.bytes, rtcp ? PacketKind::kRtcp : PacketKind::kRtp);
      ASSERT_TRUE(plain.has_value()) << "a packet does not open";
      if (rtcp) {
        ReadRtcp(*plain, seen.rtcp);
      } else {
        seen.rtp.push_back(*plain);
      }
    }
  }
  void Advance(TimeDelta step) {
    harness.Advance(step);
    TakeSent();
  }
  void FromA(int packets = 1) {
    for (int i = 0; i < packets; ++i) {
      harness.ReceiveRtp(a_leg, a);
      TakeSent();
    }
  }
  void RtcpFromB(const Bytes& plain) {
    harness.Receive(b_leg, Component::kRtp, b.rtp, b.Protected(plain, PacketKind::kRtcp));
    TakeSent();
  }
  LegSnapshot A() { return harness.Leg("call", "a"); }
  LegSnapshot B() { return harness.Leg("call", "b"); }

  static void ReadRtcp(const Bytes& bytes, RtcpSeen& seen) {
    const std::optional<RtcpPacketView> datagram = RtcpPacketView::Parse(bytes);
    ASSERT_TRUE(datagram.has_value());
    EXPECT_TRUE(datagram->IsValidCompound());
    ++seen.datagrams;
    struct Reader {
      RtcpSeen& seen;
      void operator()(const NackView& nack) {
        seen.nack_media.push_back(nack.media());
        nack.ForEachMissing([&](SequenceNumber n) { seen.missing.push_back(n.value()); });
      }
      void operator()(const PictureLoss& loss) { seen.picture_losses.push_back(loss.media); }
      void operator()(const SenderReportView&) { ++seen.sender_reports; }
      void operator()(const ReceiverReportView& report) {
        ++seen.receiver_reports;
        seen.report_blocks += static_cast<int>(report.block_count());
      }
      void operator()(const SdesView& sdes) {
        sdes.ForEachItem([&](Ssrc, SdesItem item, absl::Span<const uint8_t> text) {
          if (item == SdesItem::kCname) seen.cnames.emplace_back(text.begin(), text.end());
        });
      }
      void operator()(const TransportFeedbackView&) { ++seen.transport_feedback; }
    };
    const RtcpReadCounts counts = ReadCompound(*datagram, Reader{seen});
    EXPECT_EQ(counts.malformed, 0u);
  }

  SessionHarness harness;
  TestPeer a;
  TestPeer b;
  LegHandle a_leg;
  LegHandle b_leg;
  PeerSeen a_seen;
  PeerSeen b_seen;
};

uint16_t Sequence(const Bytes& rtp) { return RtpPacketView::Parse(rtp)->sequence_number().value(); }

std::vector<uint16_t> Sequences(const std::vector<Bytes>& packets) {
  std::vector<uint16_t> result;
  for (const Bytes& packet : packets) {
    result.push_back(Sequence(packet));
  }
  return result;
}

// A receiver report without blocks and, behind it, `more`.
Bytes Compound(uint32_t sender, absl::Span<const uint8_t> more) {
  Bytes bytes(8 + more.size());
  StoreBe32(bytes.data(), 0x80C90001);
  StoreBe32(bytes.data() + 4, sender);
  std::copy(more.begin(), more.end(), bytes.begin() + 8);
  return bytes;
}

Bytes NackFrom(uint32_t sender, uint32_t media, std::vector<SequenceNumber> missing) {
  std::array<uint8_t, 100> buffer;
  size_t written = 0;
  const size_t size =
      WriteNack(Ssrc(sender), Ssrc(media), missing, absl::MakeSpan(buffer), written);
  EXPECT_EQ(written, missing.size());
  return Compound(sender, absl::MakeConstSpan(buffer).first(size));
}

Bytes PictureLossFrom(uint32_t sender, uint32_t media) {
  std::array<uint8_t, 20> buffer;
  const size_t size =
      WritePictureLoss({.sender = Ssrc(sender), .media = Ssrc(media)}, absl::MakeSpan(buffer));
  return Compound(sender, absl::MakeConstSpan(buffer).first(size));
}

std::vector<SessionEvent> OfKind(std::vector<SessionEvent> events, SessionEventKind kind) {
  std::erase_if(events, [=](const SessionEvent& event) { return event.kind != kind; });
  return events;
}

TEST(InterceptorSessionTest, WhatIsLostOnTheWayToUsIsAskedForAndForwardedWhenRepeated) {
  Call call(VideoPeer(1, kRepair), VideoPeer(2, kRepair));
  call.FromA(3);
  const uint16_t lost = call.a.next_sequence();
  call.a.Skip(1);
  call.FromA(3);
  EXPECT_THAT(call.a_seen.rtcp.missing, IsEmpty());
  call.Advance(TimeDelta::Millis(20));
  EXPECT_THAT(call.a_seen.rtcp.missing, ElementsAre(lost));
  EXPECT_THAT(call.a_seen.rtcp.nack_media, ElementsAre(Ssrc(call.a.ssrc())));
  EXPECT_FALSE(call.a_seen.rtcp.cnames.empty());

  // The peer repeats it under an SSRC that nobody signalled.
  std::vector<uint8_t> payload = {static_cast<uint8_t>(lost >> 8), static_cast<uint8_t>(lost)};
  payload.insert(payload.end(), 20, 0x5A);
  const Bytes rtx = RtpPacketBuilder()
                        .WithSsrc(0xAABBCCDD)
                        .WithPayloadType(kRtx)
                        .WithSequence(777)
                        .WithPayload(payload)
                        .Build();
  call.b_seen.rtp.clear();
  call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp,
                       call.a.Protected(rtx, PacketKind::kRtp));
  call.TakeSent();
  ASSERT_THAT(call.b_seen.rtp, SizeIs(1));
  const RtpPacketView restored = *RtpPacketView::Parse(call.b_seen.rtp[0]);
  EXPECT_EQ(restored.sequence_number().value(), lost);
  EXPECT_EQ(restored.ssrc(), Ssrc(call.a.ssrc()));
  EXPECT_EQ(restored.payload_type(), PayloadType(kVideo));
  EXPECT_EQ(restored.payload().size(), 20u);
  // It is not asked for again.
  call.a_seen.rtcp.missing.clear();
  call.Advance(TimeDelta::Millis(1000));
  EXPECT_THAT(call.a_seen.rtcp.missing, IsEmpty());
  EXPECT_EQ(ReceivedVerdicts(call.A()), call.A().packets_received);
}

TEST(InterceptorSessionTest, ARetransmissionThatNobodyNeedsIsNotForwarded) {
  Call call(VideoPeer(1, kRepair), VideoPeer(2, kRepair));
  call.FromA(3);
  const uint16_t known = static_cast<uint16_t>(call.a.next_sequence() - 1);
  const Bytes rtx =
      RtpPacketBuilder()
          .WithSsrc(0xAABBCCDD)
          .WithPayloadType(kRtx)
          .WithSequence(1)
          .WithPayload({static_cast<uint8_t>(known >> 8), static_cast<uint8_t>(known), 1, 2, 3})
          .Build();
  call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp,
                       call.a.Protected(rtx, PacketKind::kRtp));
  call.TakeSent();
  EXPECT_THAT(call.b_seen.rtp, SizeIs(3));
  EXPECT_EQ(VerdictCount(call.A(), PacketVerdict::kIntercepted), 1u);
  EXPECT_EQ(ReceivedVerdicts(call.A()), call.A().packets_received);
}

TEST(InterceptorSessionTest, WhatIsLostOnTheWayToThePeerIsRepeatedUnderAnSsrcOfItsOwn) {
  Call call(VideoPeer(1, kRepair), VideoPeer(2, kRepair));
  call.FromA(5);
  const uint16_t lost = Sequence(call.b_seen.rtp[2]);
  const Bytes original = call.b_seen.rtp[2];
  call.b_seen.rtp.clear();
  call.RtcpFromB(NackFrom(call.b.ssrc(), call.a.ssrc(), {SequenceNumber(lost)}));
  ASSERT_THAT(call.b_seen.rtp, SizeIs(1));
  const RtpPacketView rtx = *RtpPacketView::Parse(call.b_seen.rtp[0]);
  EXPECT_NE(rtx.ssrc(), Ssrc(call.a.ssrc()));
  EXPECT_EQ(rtx.payload_type(), PayloadType(kRtx));
  EXPECT_EQ(LoadBe16(rtx.payload().data()), lost);
  const RtpPacketView media = *RtpPacketView::Parse(original);
  EXPECT_THAT(rtx.payload().subspan(2), ::testing::ElementsAreArray(media.payload()));
  // The peer's RTCP ends at the gateway: nobody asks A.
  EXPECT_THAT(call.a_seen.rtcp.missing, IsEmpty());
  EXPECT_EQ(VerdictCount(call.B(), PacketVerdict::kRtcpTerminated), 1u);
  EXPECT_EQ(SentVerdicts(call.B()), 6u);
}

TEST(InterceptorSessionTest, BothPeersGetReportsOfTheGatewayAndNoneOfEachOther) {
  Call call(VideoPeer(1, kRepair), VideoPeer(2, kRepair));
  for (int i = 0; i < 600; ++i) {
    call.FromA(1);
    call.harness.ReceiveRtcp(call.b_leg, call.b);
    call.Advance(TimeDelta::Millis(20));
  }
  // Twelve seconds: at least one report after Tmin of five and its spread.
  EXPECT_GE(call.b_seen.rtcp.sender_reports, 1);
  EXPECT_GE(call.a_seen.rtcp.receiver_reports, 1);
  EXPECT_GE(call.a_seen.rtcp.report_blocks, 1);
  EXPECT_EQ(call.a_seen.rtcp.sender_reports, 0);
  for (const std::string& cname : call.b_seen.rtcp.cnames) {
    EXPECT_NE(cname, "peer");
    EXPECT_EQ(cname.size(), 16u);
  }
  EXPECT_EQ(VerdictCount(call.B(), PacketVerdict::kRtcpTerminated), 600u);
}

TEST(InterceptorSessionTest, AKeyFrameThatOnePeerWantsIsAskedOfTheOther) {
  Call call(VideoPeer(1, kRepair), VideoPeer(2, kRepair));
  call.FromA(3);
  call.harness.TakeEvents();
  call.RtcpFromB(PictureLossFrom(call.b.ssrc(), call.a.ssrc()));
  EXPECT_THAT(call.a_seen.rtcp.picture_losses, ElementsAre(Ssrc(call.a.ssrc())));
  const auto events = OfKind(call.harness.TakeEvents(), SessionEventKind::kKeyFrameRequested);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].leg_id.view(), "b");
  EXPECT_EQ(events[0].ssrc, Ssrc(call.a.ssrc()));
  // A storm is one request.
  for (int i = 0; i < 20; ++i) {
    call.RtcpFromB(PictureLossFrom(call.b.ssrc(), call.a.ssrc()));
  }
  EXPECT_THAT(call.a_seen.rtcp.picture_losses, SizeIs(1));
}

TEST(InterceptorSessionTest, OutgoingPacketsAreNumberedAndIncomingOnesReportedOn) {
  TestPeerOptions a = VideoPeer(1, {.transport_wide = true});
  TestPeerOptions b = VideoPeer(2, {.transport_wide = true});
  for (TestPeerOptions* options : {&a, &b}) {
    options->header_extensions = {{kTransportSequence, kTransportSequenceUri}};
  }
  Call call(a, b);
  call.FromA(4);
  ASSERT_THAT(call.b_seen.rtp, SizeIs(4));
  std::vector<uint16_t> numbers;
  for (const Bytes& packet : call.b_seen.rtp) {
    RtpPacketView::Parse(packet)->ForEachExtension([&](uint8_t id, absl::Span<const uint8_t> data) {
      EXPECT_EQ(id, kTransportSequence);
      numbers.push_back(LoadBe16(data.data()));
    });
  }
  ASSERT_THAT(numbers, SizeIs(4));
  for (size_t i = 1; i < numbers.size(); ++i) {
    EXPECT_EQ(numbers[i], static_cast<uint16_t>(numbers[0] + i));
  }
  // The peer's packets with numbers are reported on.
  for (uint16_t i = 0; i < 20; ++i) {
    const uint8_t number[2] = {0, static_cast<uint8_t>(i)};
    const Bytes packet = RtpPacketBuilder()
                             .WithSsrc(call.a.ssrc())
                             .WithSequence(static_cast<uint16_t>(1000 + i))
                             .WithPayloadSize(50)
                             .AddOneByteExtension(kTransportSequence, number)
                             .Build();
    call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp,
                         call.a.Protected(packet, PacketKind::kRtp));
    call.Advance(TimeDelta::Millis(20));
  }
  EXPECT_GE(call.a_seen.rtcp.transport_feedback, 1);
  EXPECT_TRUE(call.B().bandwidth.has_value());
}

TEST(InterceptorSessionTest, RtcpOfAllOriginsDrawsFromOneIndex) {
  // A's RTCP is forwarded to B, whose leg also asks for repair: two origins, one SRTCP index each.
  // If they had counters of their own, B's receiver would call the second a replay, and Call would
  // say that a packet does not open.
  TestPeerOptions b = VideoPeer(2, {.nack = true});
  b.interceptors.rtcp = RtcpHandling::kTerminate;
  b.interceptors.reports = true;
  Call call(VideoPeer(1, {.nack = true}), b);
  for (int i = 0; i < 700; ++i) {
    call.harness.ReceiveRtp(call.b_leg, call.b);
    if (i % 10 == 0) {
      call.b.Skip(1);
    }
    call.FromA(1);
    call.Advance(TimeDelta::Millis(20));
  }
  EXPECT_GE(call.b_seen.rtcp.missing.size(), 60u);
  EXPECT_GE(call.b_seen.rtcp.sender_reports, 1);
  EXPECT_EQ(VerdictCount(call.B(), PacketVerdict::kIndexReused), 0u);
}

TEST(InterceptorSessionTest, ForwardedRtcpDoesNotReachALegThatTerminatesIt) {
  TestPeerOptions forwards = VideoPeer(1, {});
  Call call(forwards, VideoPeer(2, kRepair));
  call.harness.ReceiveRtcp(call.a_leg, call.a);
  call.TakeSent();
  EXPECT_EQ(call.b_seen.rtcp.datagrams, 0);
  EXPECT_EQ(VerdictCount(call.A(), PacketVerdict::kRtcpTerminated), 1u);
}

TEST(InterceptorSessionTest, ReducedSizeRtcpIsSentWhereItWasAgreedUponAndAcceptedAnyway) {
  std::array<uint8_t, 20> buffer;
  TestPeerOptions a = VideoPeer(1, kRepair);
  for (const bool agreed : {false, true}) {
    a.interceptors.reduced_size_rtcp = agreed;
    Call call(a, VideoPeer(2, kRepair));
    call.FromA(2);
    const size_t size = WritePictureLoss(
        {.sender = Ssrc(call.b.ssrc()), .media = Ssrc(call.a.ssrc())}, absl::MakeSpan(buffer));
    call.RtcpFromB(Bytes(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(size)));
    EXPECT_THAT(call.a_seen.rtcp.picture_losses, SizeIs(1));
    EXPECT_EQ(call.a_seen.rtcp.receiver_reports, agreed ? 0 : 1);
  }
}

TEST(InterceptorSessionTest, ALegOnHoldGetsNothingOfItsInterceptors) {
  Call call(VideoPeer(1, kRepair), VideoPeer(2, kRepair));
  call.FromA(3);
  call.a.Skip(2);
  call.FromA(1);
  LegUpdate hold;
  hold.hold = true;
  ASSERT_TRUE(
      call.harness.table().UpdateLeg(call.harness.now(), "call", "a", std::move(hold)).ok());
  call.Advance(TimeDelta::Seconds(20));
  EXPECT_EQ(call.a_seen.rtcp.datagrams, 0);
}

TEST(InterceptorSessionTest, AnUpdateChangesWhatInterceptorsDo) {
  Call call(VideoPeer(1, kRepair), VideoPeer(2, kRepair));
  call.FromA(3);
  LegUpdate update;
  update.interceptors = InterceptorConfig();
  update.interceptors->nack = false;
  ASSERT_TRUE(
      call.harness.table().UpdateLeg(call.harness.now(), "call", "a", std::move(update)).ok());
  EXPECT_FALSE(call.A().interceptors.nack);
  EXPECT_TRUE(call.A().interceptors.key_frame_requests);
  call.a.Skip(1);
  call.FromA(3);
  call.Advance(TimeDelta::Seconds(1));
  EXPECT_THAT(call.a_seen.rtcp.missing, IsEmpty());
  // And what was not negotiated is refused, and changes nothing.
  LegUpdate bad;
  bad.interceptors = InterceptorConfig();
  bad.interceptors->congestion_control_feedback = true;
  const absl::Status status =
      call.harness.table().UpdateLeg(call.harness.now(), "call", "a", std::move(bad));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(GetErrorDetail(status)->subject, "config.interceptors.congestion_control_feedback");
  EXPECT_TRUE(call.A().interceptors.key_frame_requests);
}

TEST(InterceptorSessionTest, InterceptorsTakeFromABudgetAndGiveBack) {
  SessionHarness::Options options;
  const InterceptorOptions repair =
      *ResolveInterceptors({}, Video(kRepair), std::vector<HeaderExtension>());
  options.limits.interceptor_bytes = InterceptorBytes(repair) * 3 / 2;
  SessionHarness harness(options);
  TestPeer a(VideoPeer(1, kRepair));
  TestPeer b(VideoPeer(2, kRepair));
  harness.CreateSession("call");
  harness.AddLeg("call", "a", a);
  EXPECT_EQ(harness.table().interceptor_bytes().used, InterceptorBytes(repair));
  const absl::Status refused =
      harness.table().AddLeg(harness.now(), "call", b.Spec("b"), b.Local()).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetErrorDetail(refused)->subject, "interceptor_kib");
  EXPECT_EQ(harness.table().interceptor_bytes().refused, 1u);
  ASSERT_TRUE(harness.table().RemoveLeg(harness.now(), "call", "a").ok());
  EXPECT_EQ(harness.table().interceptor_bytes().used, 0u);
  harness.AddLeg("call", "b", b);
}

TEST(InterceptorSessionTest, APacerTakesFromTheSlotsThatAreThereForIt) {
  SessionHarness::Options options;
  options.limits.held_packets = 100;
  SessionHarness harness(options);
  TestPeerOptions paced = VideoPeer(1, kRepair);
  paced.interceptors.pacer = true;
  TestPeer a(paced);
  harness.CreateSession("call");
  const absl::Status refused =
      harness.table().AddLeg(harness.now(), "call", a.Spec("a"), a.Local()).status();
  EXPECT_EQ(GetErrorDetail(refused)->subject, "held_packets");
  EXPECT_EQ(harness.table().interceptor_bytes().used, 0u);
}

TEST(InterceptorSessionTest, AJitterBufferGivesPacketsOnInOrder) {
  TestPeerOptions a = VideoPeer(1, {});
  a.interceptors.jitter_buffer = true;
  Call call(a, VideoPeer(2, {}));
  std::vector<Bytes> packets;
  for (int i = 0; i < 6; ++i) {
    packets.push_back(call.a.NextRtp());
  }
  std::swap(packets[2], packets[3]);
  for (const Bytes& packet : packets) {
    call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp, packet);
    call.Advance(TimeDelta::Millis(2));
  }
  call.Advance(TimeDelta::Seconds(1));
  const std::vector<uint16_t> sequences = Sequences(call.b_seen.rtp);
  ASSERT_GE(sequences.size(), 5u);
  EXPECT_TRUE(std::is_sorted(sequences.begin(), sequences.end()));
  EXPECT_EQ(ReceivedVerdicts(call.A()), call.A().packets_received);
}

TEST(InterceptorSessionTest, FiguresOfTheStreamAreInTheSnapshot) {
  Call call(VideoPeer(1, kRepair), VideoPeer(2, kRepair));
  call.FromA(5);
  call.RtcpFromB(
      NackFrom(call.b.ssrc(), call.a.ssrc(), {SequenceNumber(Sequence(call.b_seen.rtp[1]))}));
  const LegSnapshot b = call.B();
  bool found = false;
  for (const StreamSnapshot& stream : b.streams) {
    if (stream.ssrc == Ssrc(call.a.ssrc()) && stream.direction == StreamDirection::kSent) {
      found = true;
      ASSERT_TRUE(stream.feedback.has_value());
      EXPECT_EQ(stream.feedback->nacks, 1u);
      EXPECT_EQ(stream.feedback->retransmitted_packets, 1u);
    }
  }
  EXPECT_TRUE(found);
  bool retransmitted = false;
  for (const InterceptorCounter& counter : b.interceptor_counters) {
    retransmitted |= counter.interceptor == "nack_responder" && counter.name == "retransmitted" &&
                     counter.value == 1;
  }
  EXPECT_TRUE(retransmitted);
}

TEST(InterceptorSessionTest, BytesThatDoNotAuthenticateReachNoInterceptor) {
  Call call(VideoPeer(1, kRepair), VideoPeer(2, kRepair));
  call.FromA(3);
  Bytes forged = call.a.NextRtp();
  forged.back() ^= 1;
  call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp, forged);
  Bytes forged_rtcp = call.a.NextRtcp();
  forged_rtcp.back() ^= 1;
  call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp, forged_rtcp);
  call.Advance(TimeDelta::Seconds(1));
  EXPECT_THAT(call.a_seen.rtcp.missing, IsEmpty());
  EXPECT_EQ(VerdictCount(call.A(), PacketVerdict::kAuthFailed), 2u);
}

}  // namespace
}  // namespace sluice

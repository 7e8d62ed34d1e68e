// Two peers and a bridge between them whose legs have interceptors: what comes, and how legs are
// set up.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/time_delta.h"
#include "gateway/errors/error_detail.h"
#include "gateway/leg/chain_parts.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/media_description.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/session_table.h"
#include "gateway/session/testing/session_harness.h"
#include "gateway/session/testing/video_call.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(InterceptorSessionTest, WhatIsLostOnTheWayToUsIsAskedForAndForwardedWhenRepeated) {
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
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
                        .WithPayloadType(kRetransmissionPayloadType)
                        .WithSequence(777)
                        .WithPayload(payload)
                        .Build();
  call.b_seen.rtp.clear();
  call.RtpFromA(rtx);
  ASSERT_THAT(call.b_seen.rtp, SizeIs(1));
  const RtpPacketView restored = *RtpPacketView::Parse(call.b_seen.rtp[0]);
  EXPECT_EQ(restored.sequence_number().value(), lost);
  EXPECT_EQ(restored.ssrc(), Ssrc(call.a.ssrc()));
  EXPECT_EQ(restored.payload_type(), PayloadType(kVideoPayloadType));
  EXPECT_EQ(restored.payload().size(), 20u);
  // It is not asked for again.
  call.a_seen.rtcp.missing.clear();
  call.Advance(TimeDelta::Millis(1000));
  EXPECT_THAT(call.a_seen.rtcp.missing, IsEmpty());
  EXPECT_EQ(ReceivedVerdicts(call.A()), call.A().packets_received);
}

TEST(InterceptorSessionTest, ARetransmissionThatNobodyNeedsIsNotForwarded) {
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
  call.FromA(3);
  const uint16_t known = static_cast<uint16_t>(call.a.next_sequence() - 1);
  const Bytes rtx =
      RtpPacketBuilder()
          .WithSsrc(0xAABBCCDD)
          .WithPayloadType(kRetransmissionPayloadType)
          .WithSequence(1)
          .WithPayload({static_cast<uint8_t>(known >> 8), static_cast<uint8_t>(known), 1, 2, 3})
          .Build();
  call.RtpFromA(rtx);
  EXPECT_THAT(call.b_seen.rtp, SizeIs(3));
  EXPECT_EQ(VerdictCount(call.A(), PacketVerdict::kIntercepted), 1u);
  EXPECT_EQ(ReceivedVerdicts(call.A()), call.A().packets_received);
}

TEST(InterceptorSessionTest, AnUpdateChangesWhatInterceptorsDo) {
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
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
      *ResolveInterceptors({}, VideoPayloadTypes(kRepairFeedback), std::vector<HeaderExtension>());
  options.limits.interceptor_bytes = InterceptorBytes(repair) * 3 / 2;
  SessionHarness harness(options);
  TestPeer a(VideoPeer(1, kRepairFeedback));
  TestPeer b(VideoPeer(2, kRepairFeedback));
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
  TestPeerOptions paced = VideoPeer(1, kRepairFeedback);
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
  VideoCall call(a, VideoPeer(2, {}));
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
  std::vector<uint16_t> sequences;
  for (const Bytes& packet : call.b_seen.rtp) {
    sequences.push_back(SequenceOf(packet));
  }
  ASSERT_GE(sequences.size(), 5u);
  EXPECT_TRUE(std::is_sorted(sequences.begin(), sequences.end()));
  EXPECT_EQ(ReceivedVerdicts(call.A()), call.A().packets_received);
}

TEST(InterceptorSessionTest, FiguresOfTheStreamAreInTheSnapshot) {
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
  call.FromA(5);
  call.RtcpFromB(
      NackFrom(call.b.ssrc(), call.a.ssrc(), {SequenceNumber(SequenceOf(call.b_seen.rtp[1]))}));
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
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
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

// A source that probes with padding numbers it like media. Left out, it would be a gap that the
// peers ask to be repaired; so it is passed on as it is.
TEST(InterceptorSessionTest, PaddingOnlyPacketsArePassedOnUnderTheirNumbersAndLeaveNoGap) {
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
  call.FromA(2);
  call.RtpFromA(RtpPacketBuilder()
                    .WithSsrc(call.a.ssrc())
                    .WithSequence(call.a.next_sequence())
                    .WithPayload({})
                    .WithPadding(200)
                    .Build());
  call.a.Skip(1);
  call.FromA(2);
  call.Advance(TimeDelta::Seconds(1));
  EXPECT_THAT(call.a_seen.rtcp.missing, IsEmpty());
  ASSERT_THAT(call.b_seen.rtp, SizeIs(5));
  for (size_t i = 1; i < call.b_seen.rtp.size(); ++i) {
    EXPECT_EQ(SequenceOf(call.b_seen.rtp[i]),
              static_cast<uint16_t>(SequenceOf(call.b_seen.rtp[i - 1]) + 1));
  }
  const RtpPacketView padding = *RtpPacketView::Parse(call.b_seen.rtp[2]);
  EXPECT_EQ(padding.payload().size(), 200u);
  EXPECT_THAT(padding.payload_without_padding(), IsEmpty());
}

// Interceptors that hold packets: those that a jitter buffer waits with behind a gap, and those
// that a pacer has not let go.
void HoldPackets(VideoCall& call) {
  for (uint16_t i = 0; i < 30; ++i) {
    // Every third packet is missing.
    call.RtpFromA(RtpPacketBuilder()
                      .WithSsrc(call.a.ssrc())
                      .WithSequence(static_cast<uint16_t>(1000 + i + i / 2))
                      .WithPayloadSize(1100)
                      .Build());
  }
}

TEST(InterceptorSessionTest, WhatIsHeldComesBackWhenALegGoesOrItsInterceptorsChange) {
  for (const bool paced : {false, true}) {
    for (const bool removed : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "paced " << paced << ", removed " << removed);
      TestPeerOptions a = VideoPeer(1, {});
      TestPeerOptions b = VideoPeer(2, {});
      (paced ? b.interceptors.pacer : a.interceptors.jitter_buffer) = true;
      VideoCall call(a, b);
      const size_t all = call.harness.arena().free();
      HoldPackets(call);
      EXPECT_LE(call.harness.arena().free(), all - 10);
      const char* leg = paced ? "b" : "a";
      if (removed) {
        ASSERT_TRUE(call.harness.table().RemoveLeg(call.harness.now(), "call", leg).ok());
      } else {
        LegUpdate update;
        update.interceptors = InterceptorConfig();
        ASSERT_TRUE(call.harness.table()
                        .UpdateLeg(call.harness.now(), "call", leg, std::move(update))
                        .ok());
      }
      call.harness.TakeSent();
      EXPECT_EQ(call.harness.arena().free(), all);
      // Nobody has a timer for what is gone.
      call.harness.Advance(TimeDelta::Seconds(1));
    }
  }
}

}  // namespace
}  // namespace sluice

// What goes out of legs with interceptors: repair, reports, requests and numbers, through the door
// of the room.
#include "gateway/session/send_stage.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/time_delta.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/session_event.h"
#include "gateway/session/session_table.h"
#include "gateway/session/testing/session_harness.h"
#include "gateway/session/testing/video_call.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/pli.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint8_t kTransportSequence = 5;

TEST(SendStageTest, WhatIsLostOnTheWayToThePeerIsRepeatedUnderAnSsrcOfItsOwn) {
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
  call.FromA(5);
  const uint16_t lost = SequenceOf(call.b_seen.rtp[2]);
  const Bytes original = call.b_seen.rtp[2];
  call.b_seen.rtp.clear();
  call.RtcpFromB(NackFrom(call.b.ssrc(), call.a.ssrc(), {SequenceNumber(lost)}));
  ASSERT_THAT(call.b_seen.rtp, SizeIs(1));
  const RtpPacketView rtx = *RtpPacketView::Parse(call.b_seen.rtp[0]);
  EXPECT_NE(rtx.ssrc(), Ssrc(call.a.ssrc()));
  EXPECT_EQ(rtx.payload_type(), PayloadType(kRetransmissionPayloadType));
  EXPECT_EQ(LoadBe16(rtx.payload().data()), lost);
  const RtpPacketView media = *RtpPacketView::Parse(original);
  EXPECT_THAT(rtx.payload().subspan(2), ::testing::ElementsAreArray(media.payload()));
  // The peer's RTCP ends at the gateway: nobody asks A.
  EXPECT_THAT(call.a_seen.rtcp.missing, IsEmpty());
  EXPECT_EQ(VerdictCount(call.B(), PacketVerdict::kRtcpTerminated), 1u);
  EXPECT_EQ(SentVerdicts(call.B()), 6u);
}

TEST(SendStageTest, BothPeersGetReportsOfTheGatewayAndNoneOfEachOther) {
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
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

TEST(SendStageTest, AKeyFrameThatOnePeerWantsIsAskedOfTheOther) {
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
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

TEST(SendStageTest, OutgoingPacketsAreNumberedAndIncomingOnesReportedOn) {
  TestPeerOptions a = VideoPeer(1, {.transport_wide = true});
  TestPeerOptions b = VideoPeer(2, {.transport_wide = true});
  for (TestPeerOptions* options : {&a, &b}) {
    options->header_extensions = {{kTransportSequence, kTransportSequenceUri}};
  }
  VideoCall call(a, b);
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
    call.RtpFromA(packet);
    call.Advance(TimeDelta::Millis(20));
  }
  EXPECT_GE(call.a_seen.rtcp.transport_feedback, 1);
  EXPECT_TRUE(call.B().bandwidth.has_value());
}

TEST(SendStageTest, ParityGoesWithVideoWhereItWasNegotiatedAndIsReadWhereItComes) {
  TestPeerOptions peer = VideoPeer(2, {});
  PayloadDescription parity;
  parity.payload_type = PayloadType(49);
  parity.encoding_name = "flexfec-03";
  parity.clock_rate = 90'000;
  peer.payload_types.push_back(parity);
  VideoCall call(VideoPeer(1, {}), peer);
  call.FromA(30);
  std::vector<Bytes> repair;
  for (const Bytes& packet : call.b_seen.rtp) {
    if (RtpPacketView::Parse(packet)->payload_type() == PayloadType(49)) {
      repair.push_back(packet);
    }
  }
  ASSERT_THAT(repair, SizeIs(3));
  EXPECT_NE(RtpPacketView::Parse(repair[0])->ssrc(), Ssrc(call.a.ssrc()));
  EXPECT_EQ(SentVerdicts(call.B()), 33u);
}

TEST(SendStageTest, RtcpOfAllOriginsDrawsFromOneIndex) {
  // A's RTCP is forwarded to B, whose leg also asks for repair: two origins, one SRTCP index each.
  // If they had counters of their own, B's receiver would call the second a replay, and Call would
  // say that a packet does not open.
  TestPeerOptions b = VideoPeer(2, {.nack = true});
  b.interceptors.rtcp = RtcpHandling::kTerminate;
  b.interceptors.reports = true;
  VideoCall call(VideoPeer(1, {.nack = true}), b);
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

TEST(SendStageTest, ForwardedRtcpDoesNotReachALegThatTerminatesIt) {
  TestPeerOptions forwards = VideoPeer(1, {});
  VideoCall call(forwards, VideoPeer(2, kRepairFeedback));
  call.harness.ReceiveRtcp(call.a_leg, call.a);
  call.TakeSent();
  EXPECT_EQ(call.b_seen.rtcp.datagrams, 0);
  EXPECT_EQ(VerdictCount(call.A(), PacketVerdict::kRtcpTerminated), 1u);
}

TEST(SendStageTest, ReducedSizeRtcpIsSentWhereItWasAgreedUponAndAcceptedAnyway) {
  std::array<uint8_t, 20> buffer;
  TestPeerOptions a = VideoPeer(1, kRepairFeedback);
  for (const bool agreed : {false, true}) {
    a.interceptors.reduced_size_rtcp = agreed;
    VideoCall call(a, VideoPeer(2, kRepairFeedback));
    call.FromA(2);
    const size_t size = WritePictureLoss(
        {.sender = Ssrc(call.b.ssrc()), .media = Ssrc(call.a.ssrc())}, absl::MakeSpan(buffer));
    call.RtcpFromB(Bytes(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(size)));
    EXPECT_THAT(call.a_seen.rtcp.picture_losses, SizeIs(1));
    EXPECT_EQ(call.a_seen.rtcp.receiver_reports, agreed ? 0 : 1);
  }
}

TEST(SendStageTest, ALegOnHoldGetsNothingOfItsInterceptors) {
  VideoCall call(VideoPeer(1, kRepairFeedback), VideoPeer(2, kRepairFeedback));
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

}  // namespace
}  // namespace sluice

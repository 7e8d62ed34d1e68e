// The gateway as its peers' RTCP partner: it reports to them, hears what they want, and tells the
// controller.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/compound.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/testing/packet_builder.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/event_watcher.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;
constexpr uint8_t kVideoPayloadType = 96;
constexpr uint8_t kTransportSequenceId = 3;
constexpr char kTransportSequence[] =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";

// What is of interest in a datagram of RTCP; each must be a full compound.
struct RtcpSeen {
  std::vector<std::string> cnames;
  std::vector<uint32_t> sender_reports;
  std::vector<uint32_t> blocks;
  std::vector<uint32_t> picture_losses;
};

// Adds what is in the next datagram that the peer gets.
void ReadNext(MediaPeer& peer, RtcpSeen& seen) {
  const Bytes bytes = peer.ReceiveRtcp();
  const std::optional<RtcpPacketView> datagram = RtcpPacketView::Parse(bytes);
  ASSERT_TRUE(datagram.has_value());
  EXPECT_TRUE(IsFullCompound(*datagram));
  const auto read_blocks = [&](const auto& report) {
    for (size_t i = 0; i < report.block_count(); ++i) {
      seen.blocks.push_back(report.block(i).ssrc.value());
    }
  };
  const RtcpReadCounts counts = ReadCompound(
      *datagram, RtcpReader{[&](const SenderReportView& report) {
                              seen.sender_reports.push_back(report.sender().ssrc.value());
                              read_blocks(report);
                            },
                            [&](const ReceiverReportView& report) { read_blocks(report); },
                            [&](const SdesView& sdes) {
                              sdes.ForEachItem([&](Ssrc, SdesItem item, const auto& text) {
                                if (item == SdesItem::kCname) {
                                  seen.cnames.emplace_back(text.begin(), text.end());
                                }
                              });
                            },
                            [&](const PictureLoss& loss) {
                              seen.picture_losses.push_back(loss.media.value());
                            }});
  EXPECT_EQ(counts.malformed, 0u);
}

pb::LegConfig VideoConfig(const MediaPeer& peer, const std::string& feedback) {
  pb::LegConfig config = peer.Config();
  pb::PayloadType& video = *config.add_payload_types();
  video.set_number(kVideoPayloadType);
  video.set_encoding_name("VP8");
  video.set_clock_rate_hz(90'000);
  video.add_rtcp_feedback(feedback);
  return config;
}

// A packet of an interframe: it answers no request for a key frame (RFC 7741 section 4.3).
Bytes VideoPacket(uint16_t sequence) {
  return RtpPacketBuilder()
      .WithSsrc(kAliceSsrc)
      .WithPayloadType(kVideoPayloadType)
      .WithSequence(sequence)
      .WithTimestamp(3600u * sequence)
      .WithMarker()
      .WithPayload({0x10, 0x01, 0x02, 0x03})
      .Build();
}

class FeedbackTest : public GatewayFixture {
 protected:
  void SetUp() override {
    GatewayFixture::SetUp();
    control().CreateSession("call");
  }

  SrtpPeer alice_;
  PlainPeer bob_;
};

TEST_F(FeedbackTest, BothPeersGetReportsOfTheGatewayAndNoneOfEachOther) {
  pb::LegConfig alice = alice_.Config();
  alice.mutable_interceptors()->set_reports(true);
  pb::LegConfig bob = bob_.Config();
  bob.mutable_interceptors()->set_reports(true);
  alice_.Join(control(), "call", "alice", alice);
  bob_.Join(control(), "call", "bob", bob);
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 1, 10));
  alice_.SendRtcp(RtcpPacket(kAliceSsrc));

  // Alice sends: she hears how it arrived. Bob gets it from the gateway, which is its sender.
  RtcpSeen to_alice;
  while (to_alice.blocks.empty() && !HasFailure()) {
    ReadNext(alice_, to_alice);
  }
  EXPECT_THAT(to_alice.blocks, Contains(kAliceSsrc));
  RtcpSeen to_bob;
  while (to_bob.sender_reports.empty() && !HasFailure()) {
    ReadNext(bob_, to_bob);
  }
  EXPECT_THAT(to_bob.sender_reports, Contains(kAliceSsrc));
  // What Alice says of herself ends at the gateway.
  for (const RtcpSeen* seen : {&to_alice, &to_bob}) {
    EXPECT_FALSE(seen->cnames.empty());
    EXPECT_THAT(seen->cnames, Not(Contains("peer@sluice.test")));
  }
  const pb::SessionStats stats = control().GetStats("call");
  EXPECT_EQ(VerdictOf(stats, "alice", "rtcp_terminated"), 1u);
  EXPECT_EQ(CounterOf(LegOf(stats, "alice"), "reports", "sender_reports_received"), 1u);
}

TEST_F(FeedbackTest, ARequestForAKeyFrameIsAnEventAndReachesTheSource) {
  alice_.Join(control(), "call", "alice", VideoConfig(alice_, "nack pli"));
  bob_.Join(control(), "call", "bob", VideoConfig(bob_, "nack pli"));
  EventWatcher events(control());
  ExpectRtpArrives(alice_, bob_, {VideoPacket(1), VideoPacket(2)});
  uint8_t ssrcs[8];
  StoreBe32(ssrcs, kBobSsrc);
  StoreBe32(ssrcs + 4, kAliceSsrc);
  // RFC 4585 section 6.3.1.
  bob_.SendRtcp(RtcpPacketBuilder().AddReceiverReport(kBobSsrc).AddRaw(1, 206, ssrcs).Build());

  EXPECT_EQ(events.Await(pb::Event::kKeyFrameRequested, "call", "bob").key_frame_requested().ssrc(),
            kAliceSsrc);
  RtcpSeen to_alice;
  while (to_alice.picture_losses.empty() && !HasFailure()) {
    ReadNext(alice_, to_alice);
  }
  EXPECT_THAT(to_alice.picture_losses, ElementsAre(kAliceSsrc));
  const pb::SessionStats stats = control().GetStats("call");
  EXPECT_EQ(CounterOf(LegOf(stats, "bob"), "key_frame_throttle", "pli_received"), 1u);
  EXPECT_GE(CounterOf(LegOf(stats, "alice"), "key_frame_throttle", "pli_sent"), 1u);
}

// The transport-wide number of a packet (draft-holmer-rmcat-transport-wide-cc-extensions-01).
std::optional<uint16_t> TransportSequenceOf(const Bytes& packet) {
  std::optional<uint16_t> number;
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
  if (view.has_value()) {
    view->ForEachExtension([&](uint8_t id, absl::Span<const uint8_t> data) {
      if (id == kTransportSequenceId && data.size() == 2) {
        number = LoadBe16(data.data());
      }
    });
  }
  return number;
}

// That `count` packets from `first` on came, a millisecond apart.
Bytes TransportFeedback(uint16_t first, uint16_t count, uint8_t number) {
  constexpr size_t kHeader = 18;
  Bytes body(kHeader + count);
  StoreBe32(body.data(), kBobSsrc);
  StoreBe32(body.data() + 4, kAliceSsrc);
  StoreBe16(body.data() + 8, first);
  StoreBe16(body.data() + 10, count);
  // 24 bits of reference time, in 64 ms, and the number of this feedback.
  StoreBe32(body.data() + 12, uint32_t{1} << 8 | number);
  // One run of packets whose distance is one byte, in 250 us.
  StoreBe16(body.data() + 16, static_cast<uint16_t>(0x2000 | count));
  std::fill(body.begin() + kHeader, body.end(), uint8_t{4});
  return RtcpPacketBuilder().AddReceiverReport(kBobSsrc).AddRaw(15, 205, body).Build();
}

// That no more than this many bits a second, below 2^18, are to be sent
// (draft-alvestrand-rmcat-remb section 2.2).
Bytes ReceiverEstimate(uint32_t bps) {
  Bytes body(20);
  StoreBe32(body.data(), kBobSsrc);
  StoreBe32(body.data() + 8, 0x52454D42);
  // One SSRC, and a mantissa without exponent.
  StoreBe32(body.data() + 12, uint32_t{1} << 24 | bps);
  StoreBe32(body.data() + 16, kAliceSsrc);
  return RtcpPacketBuilder().AddReceiverReport(kBobSsrc).AddRaw(15, 206, body).Build();
}

TEST_F(FeedbackTest, WhatMayBeSentToAPeerIsEstimatedAndAChangeIsAnEvent) {
  alice_.Join(control(), "call", "alice");
  pb::LegConfig bob = VideoConfig(bob_, "transport-cc");
  bob.mutable_payload_types(0)->add_rtcp_feedback("goog-remb");
  pb::HeaderExtension& extension = *bob.add_header_extensions();
  extension.set_id(kTransportSequenceId);
  extension.set_uri(kTransportSequence);
  bob_.Join(control(), "call", "bob", bob);
  EventWatcher events(control());
  std::vector<uint16_t> numbers;
  constexpr uint16_t kPackets = 20;
  for (uint16_t i = 0; i < kPackets; ++i) {
    alice_.SendRtp(VideoPacket(i));
    const std::optional<uint16_t> number = TransportSequenceOf(bob_.ReceiveRtp());
    ASSERT_TRUE(number.has_value()) << "packet " << i << " is not numbered";
    numbers.push_back(*number);
  }
  EXPECT_EQ(numbers.back(), static_cast<uint16_t>(numbers.front() + kPackets - 1));
  bob_.SendRtcp(TransportFeedback(numbers.front(), kPackets, /*number=*/0));
  // Below whatever was estimated so far.
  constexpr uint32_t kLimit = 100'000;
  bob_.SendRtcp(ReceiverEstimate(kLimit));

  pb::Event event;
  do {
    event = events.Await(pb::Event::kTargetRateChanged, "call", "bob");
    EXPECT_GT(event.target_rate_changed().target_bps(), 0u);
  } while (event.target_rate_changed().target_bps() != kLimit && !HasFailure());
  const pb::LegStats stats = LegOf(control().GetStats("call"), "bob");
  EXPECT_EQ(stats.bandwidth().target_bps(), kLimit);
  EXPECT_EQ(CounterOf(stats, "transport_feedback", "numbered"), kPackets);
  EXPECT_EQ(CounterOf(stats, "transport_feedback", "feedback_received"), 1u);
}

}  // namespace
}  // namespace sluice

#include "gateway/session/testing/video_call.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gateway/leg/media_description.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp/nack.h"
#include "interceptor/rtcp/pli.h"
#include "interceptor/rtcp/receiver_report.h"
#include "interceptor/rtcp/sdes.h"
#include "interceptor/rtcp/sender_report.h"
#include "interceptor/rtcp/transport_feedback.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_kind.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

struct RtcpReader {
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
      if (item == SdesItem::kCname) {
        seen.cnames.emplace_back(text.begin(), text.end());
      }
    });
  }
  void operator()(const TransportFeedbackView&) { ++seen.transport_feedback; }
};

void ReadRtcp(const Bytes& bytes, RtcpSeen& seen) {
  const std::optional<RtcpPacketView> datagram = RtcpPacketView::Parse(bytes);
  ASSERT_TRUE(datagram.has_value());
  EXPECT_TRUE(datagram->IsValidCompound());
  ++seen.datagrams;
  EXPECT_EQ(ReadCompound(*datagram, RtcpReader{seen}).malformed, 0u);
}

// A receiver report without blocks and, behind it, `more`.
Bytes Compound(uint32_t sender, absl::Span<const uint8_t> more) {
  Bytes bytes(8 + more.size());
  StoreBe32(bytes.data(), 0x80C90001);
  StoreBe32(bytes.data() + 4, sender);
  std::copy(more.begin(), more.end(), bytes.begin() + 8);
  return bytes;
}

}  // namespace

std::vector<PayloadDescription> VideoPayloadTypes(StreamFeedback feedback) {
  PayloadDescription video;
  video.payload_type = PayloadType(kVideoPayloadType);
  video.encoding_name = "VP8";
  video.clock_rate = 90'000;
  video.feedback = feedback;
  PayloadDescription rtx;
  rtx.payload_type = PayloadType(kRetransmissionPayloadType);
  rtx.encoding_name = "rtx";
  rtx.clock_rate = 90'000;
  rtx.associated = PayloadType(kVideoPayloadType);
  return {video, rtx};
}

TestPeerOptions VideoPeer(uint8_t host, StreamFeedback feedback) {
  TestPeerOptions options;
  options.host = host;
  options.suite = SuiteId::kAeadAes128Gcm;
  options.rtcp_mux = true;
  options.payload_types = VideoPayloadTypes(feedback);
  return options;
}

VideoCall::VideoCall(const TestPeerOptions& a_options, const TestPeerOptions& b_options)
    : a(a_options), b(b_options) {
  harness.CreateSession("call");
  a_leg = harness.AddLeg("call", "a", a);
  b_leg = harness.AddLeg("call", "b", b);
}

void VideoCall::TakeSent() {
  for (const SentPacket& packet : harness.TakeSent()) {
    const bool to_a = packet.leg == a_leg;
    TestPeer& peer = to_a ? a : b;
    PeerSeen& seen = to_a ? a_seen : b_seen;
    // RFC 5761 section 4.
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

void VideoCall::Advance(TimeDelta step) {
  harness.Advance(step);
  TakeSent();
}

void VideoCall::FromA(int packets) {
  for (int i = 0; i < packets; ++i) {
    harness.ReceiveRtp(a_leg, a);
    TakeSent();
  }
}

void VideoCall::RtpFromA(const Bytes& plain) {
  harness.Receive(a_leg, Component::kRtp, a.rtp, a.Protected(plain, PacketKind::kRtp));
  TakeSent();
}

void VideoCall::RtcpFromB(const Bytes& plain) {
  harness.Receive(b_leg, Component::kRtp, b.rtp, b.Protected(plain, PacketKind::kRtcp));
  TakeSent();
}

uint16_t SequenceOf(const Bytes& rtp) {
  return RtpPacketView::Parse(rtp)->sequence_number().value();
}

Bytes NackFrom(uint32_t sender, uint32_t media, const std::vector<SequenceNumber>& missing) {
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

}  // namespace sluice

#include "tests/e2e/media_peer.h"

#include <utility>

#include "base/testing/hex.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

// 20 ms of audio at 8 kHz.
constexpr uint32_t kSamplesPerPacket = 160;

PeerTransport OpenTransport(const PeerOptions& options) {
  absl::StatusOr<PeerTransport> transport = PeerTransport::Open(options.ip, options.rtcp_mux);
  EXPECT_TRUE(transport.ok()) << transport.status();
  return *std::move(transport);
}

}  // namespace

MediaPeer::MediaPeer(const PeerOptions& options) : transport_(OpenTransport(options)) {}

void MediaPeer::Connect(const pb::AddLegResponse& answer) { transport_.Connect(answer.leg()); }

pb::AddLegResponse MediaPeer::Join(ControlClient& control, absl::string_view session_id,
                                   absl::string_view leg_id) {
  return Join(control, session_id, leg_id, Config());
}

pb::AddLegResponse MediaPeer::Join(ControlClient& control, absl::string_view session_id,
                                   absl::string_view leg_id, const pb::LegConfig& config) {
  pb::AddLegResponse answer = control.AddLeg(session_id, leg_id, config);
  if (answer.has_leg()) {
    Connect(answer);
  }
  return answer;
}

Bytes MediaPeer::ReceiveRtp() {
  const std::optional<Bytes> datagram = transport_.ReceiveRtp(Deadline::Generous());
  if (!datagram.has_value()) {
    ADD_FAILURE() << "no RTP packet came";
    return {};
  }
  std::optional<Bytes> packet = UnwrapRtp(*datagram);
  EXPECT_TRUE(packet.has_value()) << "does not open: " << ToHex(*datagram);
  return std::move(packet).value_or(Bytes());
}

Bytes MediaPeer::ReceiveRtcp() {
  const std::optional<Bytes> datagram = transport_.ReceiveRtcp(Deadline::Generous());
  if (!datagram.has_value()) {
    ADD_FAILURE() << "no RTCP packet came";
    return {};
  }
  std::optional<Bytes> packet = UnwrapRtcp(*datagram);
  EXPECT_TRUE(packet.has_value()) << "does not open: " << ToHex(*datagram);
  return std::move(packet).value_or(Bytes());
}

void ExpectRtpArrives(MediaPeer& from, MediaPeer& to, const std::vector<Bytes>& packets) {
  for (const Bytes& packet : packets) {
    from.SendRtp(packet);
  }
  for (size_t i = 0; i < packets.size(); ++i) {
    const Bytes received = to.ReceiveRtp();
    ASSERT_EQ(ToHex(received), ToHex(packets[i]))
        << "packet " << i << " of " << packets.size() << " came otherwise";
  }
}

void ExpectRtcpArrives(MediaPeer& from, MediaPeer& to, const std::vector<Bytes>& packets) {
  for (const Bytes& packet : packets) {
    from.SendRtcp(packet);
  }
  for (size_t i = 0; i < packets.size(); ++i) {
    const Bytes received = to.ReceiveRtcp();
    ASSERT_EQ(ToHex(received), ToHex(packets[i]))
        << "packet " << i << " of " << packets.size() << " came otherwise";
  }
}

std::vector<Bytes> RtpRun(uint32_t ssrc, uint16_t first, size_t count) {
  std::vector<Bytes> packets;
  for (size_t i = 0; i < count; ++i) {
    packets.push_back(RtpPacket(ssrc, static_cast<uint16_t>(first + i)));
  }
  return packets;
}

Bytes RtpPacket(uint32_t ssrc, uint16_t sequence) {
  return RtpPacketBuilder()
      .WithSsrc(ssrc)
      .WithSequence(sequence)
      .WithTimestamp(sequence * kSamplesPerPacket)
      .WithPayloadType(0)
      .WithPayloadSize(kSamplesPerPacket)
      .Build();
}

Bytes RtcpPacket(uint32_t ssrc) {
  return RtcpPacketBuilder()
      .AddSenderReport(ssrc, /*ntp_time=*/0xe0000000'00000000, /*rtp_timestamp=*/8000,
                       /*packet_count=*/50, /*octet_count=*/8000)
      .AddSourceDescription(ssrc, "peer@sluice.test")
      .Build();
}

}  // namespace sluice

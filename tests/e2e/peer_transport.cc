#include "tests/e2e/peer_transport.h"

#include <utility>

#include "gtest/gtest.h"

namespace sluice {

bool LooksLikeRtcp(absl::Span<const uint8_t> packet) {
  return packet.size() >= 2 && packet[1] >= 192 && packet[1] <= 223;
}

absl::StatusOr<PeerTransport> PeerTransport::Open(const std::string& ip, bool rtcp_mux) {
  absl::StatusOr<PeerSocket> rtp_socket = PeerSocket::Open(ip);
  if (!rtp_socket.ok()) {
    return rtp_socket.status();
  }
  PeerTransport transport(*std::move(rtp_socket));
  if (!rtcp_mux) {
    absl::StatusOr<PeerSocket> rtcp_socket = PeerSocket::Open(ip);
    if (!rtcp_socket.ok()) {
      return rtcp_socket.status();
    }
    transport.rtcp_socket_ = *std::move(rtcp_socket);
  }
  return transport;
}

pb::RemoteTransport PeerTransport::Remote() const {
  pb::RemoteTransport remote;
  *remote.mutable_rtp() = rtp_socket_.address();
  if (rtcp_socket_.has_value()) {
    *remote.mutable_rtcp() = rtcp_socket_->address();
  }
  return remote;
}

void PeerTransport::Connect(const pb::Leg& leg) {
  gateway_rtp_ = leg.local_rtp();
  gateway_rtcp_ = leg.local_rtcp();
  EXPECT_NE(gateway_rtp_.port(), 0u) << "the leg has no RTP port: " << leg.ShortDebugString();
  EXPECT_NE(gateway_rtcp_.port(), 0u) << "the leg has no RTCP port: " << leg.ShortDebugString();
}

void PeerTransport::Move() {
  absl::StatusOr<PeerTransport> elsewhere = Open(rtp_socket_.address().ip(), rtcp_mux());
  if (!elsewhere.ok()) {
    ADD_FAILURE() << elsewhere.status();
    return;
  }
  rtp_socket_ = std::move(elsewhere->rtp_socket_);
  rtcp_socket_ = std::move(elsewhere->rtcp_socket_);
}

void PeerTransport::SendRtp(absl::Span<const uint8_t> datagram) const {
  rtp_socket_.Send(gateway_rtp_, datagram);
}

void PeerTransport::SendRtcp(absl::Span<const uint8_t> datagram) const {
  (rtcp_socket_.has_value() ? *rtcp_socket_ : rtp_socket_).Send(gateway_rtcp_, datagram);
}

std::optional<Bytes> PeerTransport::ReceiveRtp(Deadline deadline) {
  return Receive(/*rtcp=*/false, deadline);
}

std::optional<Bytes> PeerTransport::ReceiveRtcp(Deadline deadline) {
  return Receive(/*rtcp=*/true, deadline);
}

std::optional<Bytes> PeerTransport::Receive(bool rtcp, Deadline deadline) {
  std::deque<Bytes>& wanted = rtcp ? waiting_rtcp_ : waiting_rtp_;
  PeerSocket& socket = rtcp && rtcp_socket_.has_value() ? *rtcp_socket_ : rtp_socket_;
  while (wanted.empty()) {
    std::optional<Bytes> datagram = socket.Receive(deadline);
    if (!datagram.has_value()) {
      return std::nullopt;
    }
    captured_.push_back(*datagram);
    const bool is_rtcp = rtcp_mux() ? LooksLikeRtcp(*datagram) : rtcp;
    (is_rtcp ? waiting_rtcp_ : waiting_rtp_).push_back(*std::move(datagram));
  }
  Bytes packet = std::move(wanted.front());
  wanted.pop_front();
  return packet;
}

bool PeerTransport::NothingWaits() {
  for (const bool rtcp : {false, true}) {
    if (std::optional<Bytes> packet = Receive(rtcp, Deadline::Now())) {
      (rtcp ? waiting_rtcp_ : waiting_rtp_).push_front(*std::move(packet));
      return false;
    }
  }
  return true;
}

}  // namespace sluice

#ifndef TESTS_E2E_PEER_TRANSPORT_H_
#define TESTS_E2E_PEER_TRANSPORT_H_

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/gateway/v1/leg.pb.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/peer_socket.h"

namespace sluice {

// The sockets of one peer: one when RTCP is multiplexed, else two. Knows nothing of SRTP.
class PeerTransport {
 public:
  // `ip` is a loopback address of either family.
  static absl::StatusOr<PeerTransport> Open(const std::string& ip, bool rtcp_mux);

  bool rtcp_mux() const { return !rtcp_socket_.has_value(); }
  // To be signalled to the gateway.
  pb::RemoteTransport Remote() const;
  // Where the gateway is, from its answer to AddLeg.
  void Connect(const pb::Leg& leg);
  // From now on the peer is at other ports, as behind a NAT that forgot. Packets to the old ports
  // are no longer received.
  void Move();

  void SendRtp(absl::Span<const uint8_t> datagram) const;
  void SendRtcp(absl::Span<const uint8_t> datagram) const;
  // For what a peer should not send.
  const PeerSocket& rtp_socket() const { return rtp_socket_; }
  const pb::TransportAddress& gateway_rtp() const { return gateway_rtp_; }
  const pb::TransportAddress& gateway_rtcp() const { return gateway_rtcp_; }

  // The next packet of the kind; nothing at the deadline. When multiplexed, the kinds are told
  // apart by RFC 5761 section 4, else by the socket.
  std::optional<Bytes> ReceiveRtp(Deadline deadline);
  std::optional<Bytes> ReceiveRtcp(Deadline deadline);
  // Takes what has come. Packets on their way are not waited for.
  bool NothingWaits();

  // All datagrams that came so far, as they were on the wire.
  const std::vector<Bytes>& captured() const { return captured_; }

 private:
  explicit PeerTransport(PeerSocket rtp_socket) : rtp_socket_(std::move(rtp_socket)) {}

  std::optional<Bytes> Receive(bool rtcp, Deadline deadline);

  PeerSocket rtp_socket_;
  std::optional<PeerSocket> rtcp_socket_;
  pb::TransportAddress gateway_rtp_;
  pb::TransportAddress gateway_rtcp_;
  // Came while the other kind was waited for.
  std::deque<Bytes> waiting_rtp_;
  std::deque<Bytes> waiting_rtcp_;
  std::vector<Bytes> captured_;
};

// Whether a packet is RTCP by its second byte (RFC 5761 section 4).
bool LooksLikeRtcp(absl::Span<const uint8_t> packet);

}  // namespace sluice

#endif  // TESTS_E2E_PEER_TRANSPORT_H_

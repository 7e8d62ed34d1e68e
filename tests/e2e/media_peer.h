#ifndef TESTS_E2E_MEDIA_PEER_H_
#define TESTS_E2E_MEDIA_PEER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/peer_transport.h"

namespace sluice {

struct PeerOptions {
  std::string ip = "127.0.0.1";
  bool rtcp_mux = true;
};

// Somebody whom the gateway has a leg for. What is sent and received here is plain RTP and RTCP;
// what is on the wire is the business of PlainPeer and SrtpPeer. Failures fail the running test.
class MediaPeer {
 public:
  virtual ~MediaPeer() = default;
  MediaPeer(const MediaPeer&) = delete;
  MediaPeer& operator=(const MediaPeer&) = delete;

  // What the gateway is to know of this peer.
  virtual pb::LegConfig Config() const = 0;
  // Takes the gateway's addresses and key.
  virtual void Connect(const pb::AddLegResponse& answer);
  // Adds a leg for this peer, with `config` or Config(), and connects to it.
  pb::AddLegResponse Join(ControlClient& control, absl::string_view session_id,
                          absl::string_view leg_id);
  pb::AddLegResponse Join(ControlClient& control, absl::string_view session_id,
                          absl::string_view leg_id, const pb::LegConfig& config);

  void SendRtp(absl::Span<const uint8_t> packet) { transport_.SendRtp(WrapRtp(packet)); }
  void SendRtcp(absl::Span<const uint8_t> packet) { transport_.SendRtcp(WrapRtcp(packet)); }
  // What a packet looks like on the wire.
  virtual Bytes WrapRtp(absl::Span<const uint8_t> packet) = 0;
  virtual Bytes WrapRtcp(absl::Span<const uint8_t> packet) = 0;

  // The next packet; empty, and the test failed, when none comes or it does not open.
  Bytes ReceiveRtp();
  Bytes ReceiveRtcp();

  PeerTransport& transport() { return transport_; }
  const PeerTransport& transport() const { return transport_; }

 protected:
  explicit MediaPeer(const PeerOptions& options);

  // Nothing when the packet does not open.
  virtual std::optional<Bytes> UnwrapRtp(absl::Span<const uint8_t> datagram) = 0;
  virtual std::optional<Bytes> UnwrapRtcp(absl::Span<const uint8_t> datagram) = 0;

 private:
  PeerTransport transport_;
};

// Sends the packets all at once from one peer; the other must get all of them, unchanged and in
// order.
void ExpectRtpArrives(MediaPeer& from, MediaPeer& to, const std::vector<Bytes>& packets);
void ExpectRtcpArrives(MediaPeer& from, MediaPeer& to, const std::vector<Bytes>& packets);

// `count` packets of one stream with consecutive sequence numbers (which wrap) from `first` on.
std::vector<Bytes> RtpRun(uint32_t ssrc, uint16_t first, size_t count);
// One packet of that stream.
Bytes RtpPacket(uint32_t ssrc, uint16_t sequence);
// A sender report and a source description, as a sender of `ssrc` makes them.
Bytes RtcpPacket(uint32_t ssrc);

}  // namespace sluice

#endif  // TESTS_E2E_MEDIA_PEER_H_

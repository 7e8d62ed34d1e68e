#ifndef TESTS_E2E_SRTP_PEER_H_
#define TESTS_E2E_SRTP_PEER_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "tests/e2e/libsrtp_session.h"
#include "tests/e2e/media_peer.h"

namespace sluice {

struct SrtpPeerOptions {
  // Of the key the peer sends with, and the gateway as well unless the test says otherwise.
  pb::CryptoSuite suite = pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80;
  // Peers of one test have different numbers, and so different keys.
  uint32_t key_number = 1;
  PeerOptions transport;
};

// A peer that speaks SRTP with keys from signalling, built on libsrtp.
class SrtpPeer : public MediaPeer {
 public:
  explicit SrtpPeer(const SrtpPeerOptions& options = {});

  pb::LegConfig Config() const override;
  void Connect(const pb::AddLegResponse& answer) override;

  // The peer's own key.
  const pb::SrtpKey& key() const { return key_; }
  // Packets wrapped from now on are protected with another key; counters go on.
  void ChangeKey(const pb::SrtpKey& key);

  // Packets of the gateway may come with this key, too; with the rollover counters reached so far.
  void AddGatewayKey(const pb::SrtpKey& key);
  // How many packets opened with the gateway's keys, in the order they were told.
  const std::vector<size_t>& opened() const { return opened_; }

  Bytes WrapRtp(absl::Span<const uint8_t> packet) override { return sender_.ProtectRtp(packet); }
  Bytes WrapRtcp(absl::Span<const uint8_t> packet) override { return sender_.ProtectRtcp(packet); }

 protected:
  std::optional<Bytes> UnwrapRtp(absl::Span<const uint8_t> datagram) override;
  std::optional<Bytes> UnwrapRtcp(absl::Span<const uint8_t> datagram) override;

 private:
  pb::SrtpKey key_;
  LibsrtpSender sender_;
  std::vector<LibsrtpReceiver> receivers_;
  std::vector<size_t> opened_;
};

}  // namespace sluice

#endif  // TESTS_E2E_SRTP_PEER_H_

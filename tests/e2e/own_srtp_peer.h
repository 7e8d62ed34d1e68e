#ifndef TESTS_E2E_OWN_SRTP_PEER_H_
#define TESTS_E2E_OWN_SRTP_PEER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_policy.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "tests/e2e/media_peer.h"

namespace sluice {

struct OwnSrtpPeerOptions {
  // Of both directions.
  pb::CryptoSuite suite = pb::CRYPTO_SUITE_AEAD_AES_128_GCM;
  // Peers of one test have different numbers, and so different keys.
  uint32_t key_number = 1;
  // Of the first key of both directions; empty: packets carry none.
  std::string mki;
  // Agreed on for both directions. Lifetimes are for the gateway alone.
  pb::SrtpOptions srtp = {};
  PeerOptions transport = {};
};

// A peer built on our own SRTP, for what libsrtp does not know or does otherwise: all suites, MKIs
// that come and go, cryptex, encrypted extensions, derivation rates. Tests with SrtpPeer show that
// others understand us.
class OwnSrtpPeer : public MediaPeer {
 public:
  explicit OwnSrtpPeer(const OwnSrtpPeerOptions& options);

  pb::LegConfig Config() const override;
  // Takes the gateway's first key.
  void Connect(const pb::AddLegResponse& answer) override;

  // The peer's own key, the one it began with.
  const pb::SrtpKey& key() const { return key_; }
  // A key to send with beside the others, by its MKI.
  void AddKey(const pb::SrtpKey& key);
  void SendWith(const std::string& mki);
  // Without MKIs: a key to send with instead.
  void ChangeKey(const pb::SrtpKey& key);
  // Packets of the gateway may come with this key, too, or, without MKIs, instead.
  void AddGatewayKey(const pb::SrtpKey& key);
  // They no longer may.
  void RetireGatewayKey(const std::string& mki);

  Bytes WrapRtp(absl::Span<const uint8_t> packet) override;
  Bytes WrapRtcp(absl::Span<const uint8_t> packet) override;

 protected:
  std::optional<Bytes> UnwrapRtp(absl::Span<const uint8_t> datagram) override;
  std::optional<Bytes> UnwrapRtcp(absl::Span<const uint8_t> datagram) override;

 private:
  Bytes Wrap(absl::Span<const uint8_t> packet, PacketKind kind);
  std::optional<Bytes> Unwrap(absl::Span<const uint8_t> datagram, PacketKind kind);

  const OwnSrtpPeerOptions options_;
  const SrtpPolicy policy_;
  const pb::SrtpKey key_;
  PacketArena arena_;
  BoringSslEngine engine_;
  std::unique_ptr<SrtpSender> sender_;
  std::unique_ptr<SrtpReceiver> receiver_;
};

}  // namespace sluice

#endif  // TESTS_E2E_OWN_SRTP_PEER_H_

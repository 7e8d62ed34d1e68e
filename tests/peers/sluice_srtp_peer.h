#ifndef TESTS_PEERS_SLUICE_SRTP_PEER_H_
#define TESTS_PEERS_SLUICE_SRTP_PEER_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "srtp/crypto/crypto_engine.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "tests/peers/packet_ring.h"
#include "tests/peers/srtp_peer.h"

namespace sluice {

// Ours, with everything: header, stream, index, replay window on both sides.
class SluiceSrtpPeer final : public SrtpPeer {
 public:
  // Packets that the replay windows remember: as many as libsrtp does unless told otherwise.
  static constexpr size_t kReplayWindow = 128;

  SluiceSrtpPeer(const MasterKey& key, PacketRing& ring, std::unique_ptr<CryptoEngine> engine);

  [[nodiscard]] bool Protect(size_t first, size_t count) override;
  [[nodiscard]] bool Unprotect(size_t first, size_t count) override;

 private:
  const std::unique_ptr<CryptoEngine> engine_;
  const std::unique_ptr<SrtpSender> sender_;
  const std::unique_ptr<SrtpReceiver> receiver_;
  PacketArena scratch_{1};
  // One per slot.
  std::vector<ProtectJob> protect_jobs_;
  std::vector<UnprotectJob> unprotect_jobs_;
};

}  // namespace sluice

#endif  // TESTS_PEERS_SLUICE_SRTP_PEER_H_

#ifndef TESTS_PEERS_LIBSRTP_PEER_H_
#define TESTS_PEERS_LIBSRTP_PEER_H_

#include <srtp.h>

#include <cstddef>

#include "srtp/master_key.h"
#include "tests/peers/packet_ring.h"
#include "tests/peers/srtp_peer.h"

namespace sluice {

// libsrtp 2.7.0 on the BoringSSL that ours uses, with everything: header, stream, index, replay
// database on both sides. It takes one packet at a time, whatever the count.
class LibsrtpPeer final : public SrtpPeer {
 public:
  // `key` is of a suite that libsrtp has by name: AES-CM with 128 or 256 bits and tags of 80, or
  // AES-GCM.
  LibsrtpPeer(const MasterKey& key, PacketRing& ring);
  ~LibsrtpPeer() override;
  LibsrtpPeer(const LibsrtpPeer&) = delete;
  LibsrtpPeer& operator=(const LibsrtpPeer&) = delete;

  [[nodiscard]] bool Protect(size_t first, size_t count) override;
  [[nodiscard]] bool Unprotect(size_t first, size_t count) override;

 private:
  PacketRing& ring_;
  srtp_t sender_ = nullptr;
  srtp_t receiver_ = nullptr;
};

}  // namespace sluice

#endif  // TESTS_PEERS_LIBSRTP_PEER_H_

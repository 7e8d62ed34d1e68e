#ifndef TESTS_PEERS_RAW_BORINGSSL_PEER_H_
#define TESTS_PEERS_RAW_BORINGSSL_PEER_H_

#include <openssl/aead.h>
#include <openssl/aes.h>
#include <openssl/sha.h>

#include <cstddef>
#include <cstdint>

#include "srtp/master_key.h"
#include "tests/peers/packet_ring.h"
#include "tests/peers/raw_packets.h"
#include "tests/peers/srtp_peer.h"

namespace sluice {

// BoringSSL's arithmetic and nothing else: seal_scatter and open_gather, or AES-CTR and HMAC-SHA1
// whose two key blocks are hashed already. One packet at a time, whatever the count.
class RawBoringSslPeer final : public SrtpPeer {
 public:
  // As RawPackets.
  RawBoringSslPeer(const MasterKey& key, PacketRing& ring);
  ~RawBoringSslPeer() override;
  RawBoringSslPeer(const RawBoringSslPeer&) = delete;
  RawBoringSslPeer& operator=(const RawBoringSslPeer&) = delete;

  void BeforeProtect() override { packets_.BeforeProtect(); }
  void BeforeUnprotect() override { packets_.BeforeUnprotect(); }
  [[nodiscard]] bool Protect(size_t first, size_t count) override;
  [[nodiscard]] bool Unprotect(size_t first, size_t count) override;

 private:
  void Crypt(size_t slot) const;
  // SHA_DIGEST_LENGTH bytes are written, maybe over the ROC.
  void Authenticate(size_t slot, uint8_t* mac) const;
  bool Seal(size_t slot) const;
  bool Open(size_t slot) const;

  const bool aead_;
  RawPackets packets_;
  EVP_AEAD_CTX gcm_;
  AES_KEY counter_mode_ = {};
  // SHA-1 after the block of key XOR ipad or opad.
  SHA_CTX inner_ = {};
  SHA_CTX outer_ = {};
};

}  // namespace sluice

#endif  // TESTS_PEERS_RAW_BORINGSSL_PEER_H_

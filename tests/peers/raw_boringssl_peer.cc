#include "tests/peers/raw_boringssl_peer.h"

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/cipher_suite.h"

namespace sluice {
namespace {

constexpr size_t kGcmIvSize = 12;
constexpr size_t kGcmTagSize = 16;

// RFC 2104 section 2.
void HashKeyBlock(absl::Span<const uint8_t> key, uint8_t pad, SHA_CTX& state) {
  std::array<uint8_t, SHA_CBLOCK> block = {};
  CopyBytes(absl::MakeSpan(block), key);
  for (uint8_t& byte : block) {
    byte ^= pad;
  }
  SHA1_Init(&state);
  SHA1_Update(&state, block.data(), block.size());
}

}  // namespace

RawBoringSslPeer::RawBoringSslPeer(const MasterKey& key, PacketRing& ring)
    : aead_(key.suite().aead()), packets_(key, ring) {
  EVP_AEAD_CTX_zero(&gcm_);
  const absl::Span<const uint8_t> encryption = packets_.keys().encryption.span();
  if (aead_) {
    const EVP_AEAD* algorithm =
        encryption.size() == 32 ? EVP_aead_aes_256_gcm() : EVP_aead_aes_128_gcm();
    SLUICE_CHECK(EVP_AEAD_CTX_init(&gcm_, algorithm, encryption.data(), encryption.size(),
                                   kGcmTagSize, nullptr) == 1);
    return;
  }
  SLUICE_CHECK(AES_set_encrypt_key(encryption.data(), static_cast<unsigned>(encryption.size() * 8),
                                   &counter_mode_) == 0);
  HashKeyBlock(packets_.keys().authentication.span(), 0x36, inner_);
  HashKeyBlock(packets_.keys().authentication.span(), 0x5C, outer_);
}

RawBoringSslPeer::~RawBoringSslPeer() { EVP_AEAD_CTX_cleanup(&gcm_); }

void RawBoringSslPeer::Crypt(size_t slot) const {
  // BoringSSL counts in it.
  std::array<uint8_t, RawPackets::kVectorSize> vector = packets_.packet(slot).vector;
  uint8_t keystream_block[AES_BLOCK_SIZE] = {};
  unsigned used = 0;
  uint8_t* const payload = packets_.packet(slot).payload();
  AES_ctr128_encrypt(payload, payload, packets_.payload_size(), &counter_mode_, vector.data(),
                     keystream_block, &used);
}

void RawBoringSslPeer::Authenticate(size_t slot, uint8_t* mac) const {
  uint8_t digest[SHA_DIGEST_LENGTH];
  SHA_CTX state = inner_;
  SHA1_Update(&state, packets_.packet(slot).header, packets_.authenticated_size());
  SHA1_Final(digest, &state);
  state = outer_;
  SHA1_Update(&state, digest, sizeof(digest));
  SHA1_Final(mac, &state);
}

bool RawBoringSslPeer::Seal(size_t slot) const {
  const RawPackets::Packet& packet = packets_.packet(slot);
  size_t tag_size = 0;
  return EVP_AEAD_CTX_seal_scatter(&gcm_, packet.payload(), packets_.payload_end(slot), &tag_size,
                                   kGcmTagSize, packet.vector.data(), kGcmIvSize, packet.payload(),
                                   packets_.payload_size(), nullptr, 0, packet.header,
                                   PacketRing::kHeaderSize) == 1;
}

bool RawBoringSslPeer::Open(size_t slot) const {
  const RawPackets::Packet& packet = packets_.packet(slot);
  return EVP_AEAD_CTX_open_gather(&gcm_, packet.payload(), packet.vector.data(), kGcmIvSize,
                                  packet.payload(), packets_.payload_size(), packet.tag.data(),
                                  kGcmTagSize, packet.header, PacketRing::kHeaderSize) == 1;
}

bool RawBoringSslPeer::Protect(size_t first, size_t count) {
  bool ok = true;
  for (size_t slot = first; slot < first + count; ++slot) {
    if (aead_) {
      ok &= Seal(slot);
    } else {
      Crypt(slot);
      // Ten bytes more than the tag has; there is room behind a packet.
      Authenticate(slot, packets_.payload_end(slot));
    }
  }
  return ok;
}

bool RawBoringSslPeer::Unprotect(size_t first, size_t count) {
  bool ok = true;
  for (size_t slot = first; slot < first + count; ++slot) {
    if (aead_) {
      ok &= Open(slot);
      continue;
    }
    uint8_t mac[SHA_DIGEST_LENGTH];
    Authenticate(slot, mac);
    ok &= packets_.MacMatches(slot, mac);
    Crypt(slot);
  }
  return ok;
}

}  // namespace sluice

#ifndef SRTP_PACKET_KEYS_H_
#define SRTP_PACKET_KEYS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "srtp/cipher_suite.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/key_derivation.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Where en- and decryption of one packet start: a counter block of AES-CM (RFC 3711 section 4.1.1)
// or, in the first 12 bytes, an IV of AES-GCM (RFC 7714 sections 8.1, 9.1). It is one vector, so
// that it is stored at once: an engine that loads it at once then does not wait.
struct alignas(16) InitialVector {
  using Vector = uint64_t __attribute__((vector_size(16)));
  Vector vector;

  const uint8_t* bytes() const {
    return static_cast<const uint8_t*>(static_cast<const void*>(&vector));
  }
};
static_assert(sizeof(InitialVector) == kCounterBlockSize);

// The session keys of one kind of packet as an engine wants them. Wiped at the end. Nothing but the
// constructor allocates. Must not outlive the engine.
class PacketKeys {
 public:
  // Blank: to be Set before use.
  PacketKeys(const CipherSuite& suite, CryptoEngine& engine);
  ~PacketKeys();
  PacketKeys(const PacketKeys&) = delete;
  PacketKeys& operator=(const PacketKeys&) = delete;

  // `keys` are of the suite's sizes. May be called again.
  void Set(const SessionKeys& keys);

  const CipherSuite& suite() const { return suite_; }
  // Null unless the suite has that transform.
  const CounterModeKey* counter_mode() const { return counter_mode_.get(); }
  const HmacSha1Key* mac() const { return mac_.get(); }
  const GcmKey* gcm() const { return gcm_.get(); }

  // For the packet with that index of either kind, 48 or 31 bits. Public once the packet is sent,
  // yet computed from the secret salt.
  InitialVector VectorOf(Ssrc ssrc, uint64_t index) const {
    // AES-CM: salt * 2^16 XOR SSRC * 2^64 XOR index * 2^16. AES-GCM: salt XOR (00 00 || SSRC ||
    // index of 48 bits), followed here by four bytes that nobody reads.
    const uint64_t high = suite_.aead()
                              ? salt_high_ ^ (uint64_t{ssrc.value()} << 16) ^ (index >> 32)
                              : salt_high_ ^ ssrc.value();
    const uint64_t low = salt_low_ ^ (index << (suite_.aead() ? 32 : 16));
    return {InitialVector::Vector{BigEndian(high), BigEndian(low)}};
  }

 private:
  static uint64_t BigEndian(uint64_t v) {
    return std::endian::native == std::endian::little ? __builtin_bswap64(v) : v;
  }

  const CipherSuite& suite_;
  std::unique_ptr<CounterModeKey> counter_mode_;
  std::unique_ptr<HmacSha1Key> mac_;
  std::unique_ptr<GcmKey> gcm_;
  // The salt and zeros after it, as two numbers.
  uint64_t salt_high_ = 0;
  uint64_t salt_low_ = 0;
};

}  // namespace sluice

#endif  // SRTP_PACKET_KEYS_H_

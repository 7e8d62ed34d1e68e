#ifndef SRTP_CRYPTO_CRYPTO_ENGINE_H_
#define SRTP_CRYPTO_CRYPTO_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/types/span.h"

namespace sluice {

// The first counter block of AES in counter mode: all 16 bytes, the low 16 bits zero
// (RFC 3711 section 4.1.1).
inline constexpr size_t kCounterBlockSize = 16;
// RFC 7714 section 8.1.
inline constexpr size_t kGcmIvSize = 12;
// RFC 7714 section 13.2: shorter tags are not to be used.
inline constexpr size_t kGcmTagSize = 16;
// Key of HMAC-SHA1 (n_a of RFC 3711 section 5.2).
inline constexpr size_t kMacKeySize = 20;
// How many bytes of an HMAC-SHA1 an engine gives. SRTP uses 10 or 4 of the 20 (RFC 3711 section
// 4.2.1); 12 is the fewest that intel-ipsec-mb gives.
inline constexpr size_t kMacSize = 12;

// Most bytes that an engine authenticates at once: intel-ipsec-mb counts in 16 bits.
inline constexpr size_t kMaxMacDataSize = 65534;

// Keys in the form that one engine wants them. Made by an engine, used with engines of the same
// kind only, wiped when destroyed. `Set` may be called again at any time and allocates nothing; a
// key that was never set may only be destroyed or set. Several threads may read one key.

class CounterModeKey {
 public:
  virtual ~CounterModeKey() = default;
  // 16, 24 or 32 bytes.
  virtual void Set(absl::Span<const uint8_t> key) = 0;
};

class HmacSha1Key {
 public:
  virtual ~HmacSha1Key() = default;
  // kMacKeySize bytes.
  virtual void Set(absl::Span<const uint8_t> key) = 0;
};

class GcmKey {
 public:
  virtual ~GcmKey() = default;
  // 16 or 32 bytes.
  virtual void Set(absl::Span<const uint8_t> key) = 0;
};

// En- or decryption of one piece of a packet in place.
struct CounterModeJob {
  const CounterModeKey* key;
  // kCounterBlockSize bytes, of any alignment. The counter is the low 16 bits, so at most 2^20
  // bytes (RFC 3711 section 4.1.1).
  const uint8_t* counter_block;
  // May be empty.
  uint8_t* data;
  size_t size;
};

// The authentication of one packet.
struct MacJob {
  const HmacSha1Key* key;
  // 1..kMaxMacDataSize bytes, in one piece: the ROC lies behind the packet already (RFC 3711
  // section 4.2).
  const uint8_t* data;
  size_t size;
  // kMacSize bytes are written. Must not overlap `data`.
  uint8_t* mac;
};

// AES-GCM of one packet in place.
struct GcmJob {
  const GcmKey* key;
  // kGcmIvSize bytes with kCounterBlockSize readable; written in one store of 16 bytes, or long
  // before, they can be loaded without waiting for the stores.
  const uint8_t* iv;
  // In one piece.
  const uint8_t* associated;
  size_t associated_size;
  // May be empty.
  uint8_t* data;
  size_t size;
  // kGcmTagSize bytes: Seal writes them, Open compares with them. Must not overlap the rest.
  uint8_t* tag;
};

// The engines there are. The values are those of counters and of the control API.
enum class EngineKind : uint8_t { kBoringSsl, kIpsecMb };
inline constexpr size_t kEngineKindCount = 2;

// The arithmetic of SRTP, on many packets at once, and nothing of its rules: who may be sent what
// under which index is decided before. Every engine gives the same bytes. Packets of a batch may
// have a key each and are distinct. One thread at a time: an engine has scratch memory of its own.
// Nothing allocates but the constructor and the three Make functions.
class CryptoEngine {
 public:
  virtual ~CryptoEngine() = default;

  virtual EngineKind kind() const = 0;

  // Blank keys, which must not outlive the engine. Never null.
  virtual std::unique_ptr<CounterModeKey> MakeCounterModeKey() = 0;
  virtual std::unique_ptr<HmacSha1Key> MakeHmacSha1Key() = 0;
  virtual std::unique_ptr<GcmKey> MakeGcmKey() = 0;

  // Any number of jobs, done when the call returns.
  virtual void Crypt(absl::Span<const CounterModeJob> jobs) = 0;
  virtual void Authenticate(absl::Span<const MacJob> jobs) = 0;

  // One at a time: no engine gains from more (the hash is not a chain that has to be waited for).
  virtual void Seal(const GcmJob& job) = 0;
  // False when the tag is not true; `data` is zeros then. Constant-time in the tag.
  [[nodiscard]] virtual bool Open(const GcmJob& job) = 0;
};

}  // namespace sluice

#endif  // SRTP_CRYPTO_CRYPTO_ENGINE_H_

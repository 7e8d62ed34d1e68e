#ifndef QUIC_TLS_SEALING_KEY_RING_H_
#define QUIC_TLS_SEALING_KEY_RING_H_

#include <openssl/aead.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// Keys for what we give to peers and only we can read when it comes back: session tickets and
// address tokens. There are two, the current one, which seals, and the one before, which only
// opens; a key seals for one lifetime, opens for another, and is wiped then. So what was sealed
// opens for at least one lifetime and for at most two, and a key that leaks opens nothing older.
//
// AES-256-GCM. A sealed thing is the name of its key (4 bytes), the count of what the key has
// sealed (8 bytes, the nonce), the ciphertext and the tag (16 bytes). Not thread-safe.
class SealingKeyRing {
 public:
  static constexpr size_t kOverhead = 4 + 8 + 16;

  // `lifetime` is positive. `random` is used by this and by Advance and outlives the ring.
  SealingKeyRing(Timestamp now, TimeDelta lifetime, RandomSource& random);
  SealingKeyRing(const SealingKeyRing&) = delete;
  SealingKeyRing& operator=(const SealingKeyRing&) = delete;

  // Replaces keys whose time is over at `now`. Whoever uses the ring calls it first, or has slept
  // no longer than until NextRotation.
  void Advance(Timestamp now);
  Timestamp NextRotation() const { return current_.since + lifetime_; }

  // Writes `plain` sealed to the front of `out`, bound to `associated`, which must be the same when
  // it is opened. How many bytes that are: plain.size() + kOverhead, or 0 when `out` is too small.
  // `plain` may be anywhere but in `out`.
  size_t Seal(absl::Span<const uint8_t> plain, absl::Span<const uint8_t> associated,
              absl::Span<uint8_t> out);

  // The opposite: how many bytes of `out` are what was sealed. Nothing when we did not seal it, did
  // so too long ago or with other `associated`, or when `out` is too small; what is in `out` then
  // means nothing.
  std::optional<size_t> Open(absl::Span<const uint8_t> sealed, absl::Span<const uint8_t> associated,
                             absl::Span<uint8_t> out) const;

 private:
  static constexpr size_t kNameSize = 4;
  static constexpr size_t kCountSize = 8;
  static constexpr size_t kTagSize = 16;

  struct Key {
    std::array<uint8_t, kNameSize> name{};
    // Null for a key that never was. Freeing wipes it: OPENSSL_free does.
    bssl::UniquePtr<EVP_AEAD_CTX> cipher;
    Timestamp since = Timestamp::MinusInfinity();
    uint64_t sealed = 0;
  };

  Key Draw(Timestamp now);

  const TimeDelta lifetime_;
  RandomSource& random_;
  Key current_;
  Key previous_;
};

}  // namespace sluice

#endif  // QUIC_TLS_SEALING_KEY_RING_H_

#ifndef SRTP_CRYPTO_HMAC_BLOCK_H_
#define SRTP_CRYPTO_HMAC_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/secret_bytes.h"

namespace sluice {

// What SHA-1 consumes at a time.
inline constexpr size_t kSha1BlockSize = 64;

// What HMAC-SHA1 hashes in front of the message, and of the inner digest (RFC 2104 section 2): the
// key, of at most kSha1BlockSize bytes, filled up with zeros, XOR 0x36 or 0x5C in every byte.
// Engines hash these two once per key, which is half of the work on a short packet.
inline SecretBytes<kSha1BlockSize> HmacBlock(absl::Span<const uint8_t> key, uint8_t pad) {
  SecretBytes<kSha1BlockSize> block;
  CopyBytes(block.mutable_span(), key);
  for (uint8_t& byte : block.mutable_span()) {
    byte ^= pad;
  }
  return block;
}
inline SecretBytes<kSha1BlockSize> HmacInnerBlock(absl::Span<const uint8_t> key) {
  return HmacBlock(key, 0x36);
}
inline SecretBytes<kSha1BlockSize> HmacOuterBlock(absl::Span<const uint8_t> key) {
  return HmacBlock(key, 0x5C);
}

}  // namespace sluice

#endif  // SRTP_CRYPTO_HMAC_BLOCK_H_

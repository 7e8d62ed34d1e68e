#ifndef SRTP_CIPHER_SUITE_H_
#define SRTP_CIPHER_SUITE_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace sluice {

enum class SuiteId : uint8_t {
  kAesCm128HmacSha1_80,
  kAesCm128HmacSha1_32,
  kAeadAes128Gcm,
  kAeadAes256Gcm,
  kAes192CmHmacSha1_80,
  kAes192CmHmacSha1_32,
  kAes256CmHmacSha1_80,
  kAes256CmHmacSha1_32,
  // Everyone can read the packets: only for who asks for it by name, never offered or a default.
  kNullHmacSha1_80,
  kNullHmacSha1_32,
};

// What happens to a payload.
enum class PacketTransform : uint8_t {
  // AES in counter mode, and HMAC-SHA1 over the ciphertext (RFC 3711 sections 4.1.1, 4.2.1).
  kCounterMode,
  // RFC 7714.
  kGcm,
  // Nothing; HMAC-SHA1 over the plaintext (RFC 3711 section 4.1.3).
  kNull,
};

// One row per SRTP protection profile; every size the room needs is read from here.
struct CipherSuite {
  SuiteId id;
  // As in SDES (RFC 4568 section 6.2, RFC 6188 section 4, RFC 7714 section 14.2). SDES has no name
  // for NULL, which is called as in DTLS-SRTP there, less the prefix (RFC 5764 section 4.1.2).
  absl::string_view name;
  // Bytes. RFC 3711 section 4.3 derives the keys of NULL as those of any other; its sizes are those
  // of AES-128, as libsrtp has it.
  size_t key_size;
  size_t salt_size;
  size_t rtp_tag_size;
  // RFC 3711 section 5.2 and RFC 4568 section 6.2.2: 80 bits for SRTCP even where SRTP has 32.
  size_t rtcp_tag_size;
  PacketTransform transform;

  // Whether one transform encrypts and authenticates, and authenticates while it decrypts.
  constexpr bool aead() const { return transform == PacketTransform::kGcm; }
};

inline constexpr CipherSuite kCipherSuites[] = {
    {SuiteId::kAesCm128HmacSha1_80, "AES_CM_128_HMAC_SHA1_80", 16, 14, 10, 10,
     PacketTransform::kCounterMode},
    {SuiteId::kAesCm128HmacSha1_32, "AES_CM_128_HMAC_SHA1_32", 16, 14, 4, 10,
     PacketTransform::kCounterMode},
    {SuiteId::kAeadAes128Gcm, "AEAD_AES_128_GCM", 16, 12, 16, 16, PacketTransform::kGcm},
    {SuiteId::kAeadAes256Gcm, "AEAD_AES_256_GCM", 32, 12, 16, 16, PacketTransform::kGcm},
    {SuiteId::kAes192CmHmacSha1_80, "AES_192_CM_HMAC_SHA1_80", 24, 14, 10, 10,
     PacketTransform::kCounterMode},
    {SuiteId::kAes192CmHmacSha1_32, "AES_192_CM_HMAC_SHA1_32", 24, 14, 4, 10,
     PacketTransform::kCounterMode},
    {SuiteId::kAes256CmHmacSha1_80, "AES_256_CM_HMAC_SHA1_80", 32, 14, 10, 10,
     PacketTransform::kCounterMode},
    {SuiteId::kAes256CmHmacSha1_32, "AES_256_CM_HMAC_SHA1_32", 32, 14, 4, 10,
     PacketTransform::kCounterMode},
    {SuiteId::kNullHmacSha1_80, "NULL_HMAC_SHA1_80", 16, 14, 10, 10, PacketTransform::kNull},
    {SuiteId::kNullHmacSha1_32, "NULL_HMAC_SHA1_32", 16, 14, 4, 10, PacketTransform::kNull},
};

// Largest of any row, for buffers.
inline constexpr size_t kMaxMasterKeySize = 32;
inline constexpr size_t kMaxMasterSaltSize = 14;
inline constexpr size_t kMaxTagSize = 16;

// The row of a suite. Never fails: every id has a row.
constexpr const CipherSuite& GetCipherSuite(SuiteId id) {
  return kCipherSuites[static_cast<size_t>(id)];
}

// nullptr when no suite has that name. Names are matched exactly. Finds the NULL suites too: who
// must not use them looks at `transform`.
const CipherSuite* FindCipherSuite(absl::string_view name);

}  // namespace sluice

#endif  // SRTP_CIPHER_SUITE_H_

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
};

// One row per SRTP protection profile; every size the room needs is read from here.
struct CipherSuite {
  SuiteId id;
  // As in SDES (RFC 4568 section 6.2, RFC 7714 section 14.2).
  absl::string_view name;
  // Bytes.
  size_t key_size;
  size_t salt_size;
  size_t rtp_tag_size;
  // RFC 3711 section 5.2 and RFC 4568 section 6.2.2: 80 bits for SRTCP even where SRTP has 32.
  size_t rtcp_tag_size;
  bool aead;
};

inline constexpr CipherSuite kCipherSuites[] = {
    {SuiteId::kAesCm128HmacSha1_80, "AES_CM_128_HMAC_SHA1_80", 16, 14, 10, 10, false},
    {SuiteId::kAesCm128HmacSha1_32, "AES_CM_128_HMAC_SHA1_32", 16, 14, 4, 10, false},
    {SuiteId::kAeadAes128Gcm, "AEAD_AES_128_GCM", 16, 12, 16, 16, true},
    {SuiteId::kAeadAes256Gcm, "AEAD_AES_256_GCM", 32, 12, 16, 16, true},
};

// Largest of any row, for buffers.
inline constexpr size_t kMaxMasterKeySize = 32;
inline constexpr size_t kMaxMasterSaltSize = 14;
inline constexpr size_t kMaxTagSize = 16;

// The row of a suite. Never fails: every id has a row.
constexpr const CipherSuite& GetCipherSuite(SuiteId id) {
  return kCipherSuites[static_cast<size_t>(id)];
}

// nullptr when no suite has that SDES name. Names are matched exactly.
const CipherSuite* FindCipherSuite(absl::string_view name);

}  // namespace sluice

#endif  // SRTP_CIPHER_SUITE_H_

#ifndef SRTP_KEY_DERIVATION_H_
#define SRTP_KEY_DERIVATION_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/secret_bytes.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/packet_kind.h"

namespace sluice {

// What a derived key is for (RFC 3711 section 4.3.1 for SRTP, 4.3.2 for SRTCP).
enum class KeyLabel : uint8_t {
  kRtpEncryption = 0,
  kRtpAuthentication = 1,
  kRtpSalt = 2,
  kRtcpEncryption = 3,
  kRtcpAuthentication = 4,
  kRtcpSalt = 5,
};

// n_a, the key of HMAC-SHA1 (RFC 3711 section 5.2).
inline constexpr size_t kHmacSha1KeySize = 20;

// The keys that protect one kind of packet. Wiped at the end.
struct SessionKeys {
  SecretBuffer<kMaxMasterKeySize> encryption;
  // Empty for AEAD suites (RFC 7714 section 3, c).
  SecretBuffer<kHmacSha1KeySize> authentication;
  SecretBuffer<kMaxMasterSaltSize> salt;
};

// Session keys of a master key, key derivation rate 0 (RFC 3711 section 4.3; for 256-bit keys
// RFC 6188 section 3). Session key and salt are as long as the master's.
SessionKeys DeriveSessionKeys(const MasterKey& master, PacketKind kind);

// Fills `out`, of any size up to 1 MiB, with the keystream that belongs to `label`: the
// pseudo-random function AES-CM of RFC 3711 section 4.3.3. A salt of 12 bytes counts as followed by
// two zeros, as in all implementations of RFC 7714 section 11.
void DeriveKey(const MasterKey& master, KeyLabel label, absl::Span<uint8_t> out);

}  // namespace sluice

#endif  // SRTP_KEY_DERIVATION_H_

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

// What a derived key is for (RFC 3711 section 4.3.1 for SRTP, 4.3.2 for SRTCP, RFC 6904 section 3
// for header extensions).
enum class KeyLabel : uint8_t {
  kRtpEncryption = 0,
  kRtpAuthentication = 1,
  kRtpSalt = 2,
  kRtcpEncryption = 3,
  kRtcpAuthentication = 4,
  kRtcpSalt = 5,
  kHeaderEncryption = 6,
  kHeaderSalt = 7,
};

// n_a, the key of HMAC-SHA1 (RFC 3711 section 5.2).
inline constexpr size_t kHmacSha1KeySize = 20;

// r of RFC 3711 section 4.3.1 is a quotient of a packet index, which has 48 bits.
inline constexpr uint64_t kMaxKeyDerivationQuotient = (uint64_t{1} << 48) - 1;

// The keys that protect one kind of packet. Wiped at the end.
struct SessionKeys {
  // As long as the master key. Of no use to NULL suites.
  SecretBuffer<kMaxMasterKeySize> encryption;
  // Empty for AEAD suites (RFC 7714 section 3, c).
  SecretBuffer<kHmacSha1KeySize> authentication;
  // As long as the master salt.
  SecretBuffer<kMaxMasterSaltSize> salt;
};

// The keys that encrypt elements of header extensions, as long as those of the payload
// (RFC 6904 section 3). Wiped at the end.
struct HeaderKeys {
  SecretBuffer<kMaxMasterKeySize> encryption;
  SecretBuffer<kMaxMasterSaltSize> salt;
};

// Session keys of a master key by the pseudo-random function AES-CM with keys of the master's size
// (RFC 3711 section 4.3, RFC 6188 section 3). `quotient` is what KeyDerivationRate makes of the
// index of the packets, at most kMaxKeyDerivationQuotient. Never allocates: with a key derivation
// rate it is called while packets flow.
SessionKeys DeriveSessionKeys(const MasterKey& master, PacketKind kind, uint64_t quotient = 0);

// As DeriveSessionKeys; `quotient` is the one of the SRTP packet.
HeaderKeys DeriveHeaderKeys(const MasterKey& master, uint64_t quotient = 0);

// One derived key alone: fills `out`, of any size up to 1 MiB, with the keystream that belongs to
// `label` and `quotient` (RFC 3711 section 4.3.3). A salt of 12 bytes counts as followed by two
// zeros, as in all implementations of RFC 7714 section 11. In SRTCP too r has 48 bits and the label
// stands in front of them: section 4.3.2 speaks of 32, which would move the label; erratum 3712 and
// all implementations leave it where it is.
void DeriveKey(const MasterKey& master, KeyLabel label, uint64_t quotient, absl::Span<uint8_t> out);

}  // namespace sluice

#endif  // SRTP_KEY_DERIVATION_H_

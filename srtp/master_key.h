#ifndef SRTP_MASTER_KEY_H_
#define SRTP_MASTER_KEY_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/secret_bytes.h"
#include "srtp/cipher_suite.h"

namespace sluice {

// A master key and master salt of one suite (RFC 3711 section 3.2.1). Move-only, wiped at the end.
// A moved-from key may only be assigned to or destroyed.
class MasterKey {
 public:
  // `key_and_salt` is the key followed by the salt, as in SDES `inline:` (RFC 4568 section 6.1).
  // InvalidArgument naming the sizes when it is not exactly as long as the suite needs.
  static absl::StatusOr<MasterKey> Create(SuiteId suite, absl::Span<const uint8_t> key_and_salt);
  // A fresh key; `random` must be cryptographically strong outside of tests.
  static MasterKey Generate(SuiteId suite, RandomSource& random);

  MasterKey(MasterKey&&) = default;
  MasterKey& operator=(MasterKey&&) = default;

  // For where a copy is really meant, such as handing a key to the peer and to the sender.
  MasterKey Clone() const;

  const CipherSuite& suite() const { return GetCipherSuite(suite_); }
  absl::Span<const uint8_t> key() const;
  absl::Span<const uint8_t> salt() const;
  // Key followed by salt. Secret.
  absl::Span<const uint8_t> key_and_salt() const;

  // Constant-time in the key bytes.
  friend bool operator==(const MasterKey& a, const MasterKey& b);

 private:
  // All zero, to be filled.
  explicit MasterKey(SuiteId suite);

  SuiteId suite_;
  SecretBuffer<kMaxMasterKeySize + kMaxMasterSaltSize> key_and_salt_;
};

}  // namespace sluice

#endif  // SRTP_MASTER_KEY_H_

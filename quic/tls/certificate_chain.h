#ifndef QUIC_TLS_CERTIFICATE_CHAIN_H_
#define QUIC_TLS_CERTIFICATE_CHAIN_H_

#include <openssl/base.h>
#include <openssl/evp.h>
#include <openssl/pool.h>

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sluice {

// A certificate with its private key and the certificates between it and a root, checked as far as
// they can be without a clock. Move-only; BoringSSL wipes the key with its last owner.
class CertificateChain {
 public:
  // Certificates that a server sends in every full handshake; more is a mistake in a file.
  static constexpr size_t kMaxCertificates = 8;

  // From PEM: the certificate of the key first, then each one's issuer. InvalidArgument, with a
  // sentence and nothing of the key in it, when something is missing or does not parse, when the
  // key is not that of the first certificate, or when that one is not for signing handshakes.
  static absl::StatusOr<CertificateChain> FromPem(absl::string_view certificates_pem,
                                                  absl::string_view private_key_pem);

  // Gives them to a connection, which keeps what it needs. False when BoringSSL refuses, for lack
  // of memory.
  [[nodiscard]] bool ApplyTo(SSL& ssl) const;

  // How many certificates there are, and their bytes in DER: before an address is validated a
  // server may send three times what it received (RFC 9000 section 8.1), some 3600 bytes.
  size_t size() const { return certificates_.size(); }
  size_t der_size() const;

 private:
  CertificateChain(std::vector<bssl::UniquePtr<CRYPTO_BUFFER>> certificates,
                   bssl::UniquePtr<EVP_PKEY> key);

  std::vector<bssl::UniquePtr<CRYPTO_BUFFER>> certificates_;
  bssl::UniquePtr<EVP_PKEY> key_;
};

}  // namespace sluice

#endif  // QUIC_TLS_CERTIFICATE_CHAIN_H_

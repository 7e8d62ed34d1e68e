#ifndef TOOLS_CTL_PKI_CERTIFICATE_AUTHORITY_H_
#define TOOLS_CTL_PKI_CERTIFICATE_AUTHORITY_H_

#include <openssl/evp.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace sluice {

// A certificate and its private key (PKCS #8), both in PEM. The key is secret.
struct PemIdentity {
  std::string certificate;
  std::string private_key;
};

// From when until when certificates are valid. `start` is the present time; a certificate's begin
// is set a little earlier, for machines whose clocks are behind.
struct Validity {
  absl::Time start;
  int days;
};

// Signs the certificates of one gateway and of those who may control it: ECDSA on P-256, no
// intermediate certificates, and each certificate good for one side only. Needs no files and no
// clock.
class CertificateAuthority {
 public:
  // A new key and a certificate signed with it.
  static absl::StatusOr<CertificateAuthority> Create(const Validity& validity);

  const PemIdentity& identity() const { return identity_; }

  // For a server that is reached by each of `hosts`: DNS names and IP addresses.
  absl::StatusOr<PemIdentity> IssueServer(const std::vector<std::string>& hosts) const;

  // For a client; `name` is what the server may log.
  absl::StatusOr<PemIdentity> IssueClient(absl::string_view name) const;

 private:
  CertificateAuthority(bssl::UniquePtr<EVP_PKEY> key, PemIdentity identity,
                       const Validity& validity);

  bssl::UniquePtr<EVP_PKEY> key_;
  PemIdentity identity_;
  Validity validity_;
};

// OK if `host` can be in a certificate: an IP address, or a DNS name of at most 253 characters.
absl::Status CheckCertificateHost(absl::string_view host);

// When a certificate in PEM ends.
absl::StatusOr<absl::Time> CertificateEnd(absl::string_view pem);

}  // namespace sluice

#endif  // TOOLS_CTL_PKI_CERTIFICATE_AUTHORITY_H_

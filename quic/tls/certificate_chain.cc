#include "quic/tls/certificate_chain.h"

#include <openssl/base.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/mem.h>
#include <openssl/pem.h>
#include <openssl/pool.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sluice {
namespace {

// Files that hold this much are something else.
constexpr size_t kMaxPemSize = size_t{1} << 20;

bssl::UniquePtr<BIO> ToBio(absl::string_view text) {
  return bssl::UniquePtr<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

absl::Status Refusal(absl::string_view why) {
  // Else the next user of this thread would take it for its own.
  ERR_clear_error();
  return absl::InvalidArgumentError(why);
}

absl::StatusOr<std::vector<bssl::UniquePtr<CRYPTO_BUFFER>>> ParseCertificates(
    absl::string_view pem) {
  std::vector<bssl::UniquePtr<CRYPTO_BUFFER>> certificates;
  const bssl::UniquePtr<BIO> bio = ToBio(pem);
  char* name = nullptr;
  char* header = nullptr;
  uint8_t* der = nullptr;
  long size = 0;
  while (PEM_read_bio(bio.get(), &name, &header, &der, &size) == 1) {
    const bssl::UniquePtr<char> free_name(name);
    const bssl::UniquePtr<char> free_header(header);
    const bssl::UniquePtr<uint8_t> free_der(der);
    if (absl::string_view(name) != PEM_STRING_X509) continue;
    if (certificates.size() == CertificateChain::kMaxCertificates) {
      return Refusal(absl::StrCat("there are more than ", CertificateChain::kMaxCertificates,
                                  " certificates"));
    }
    certificates.emplace_back(CRYPTO_BUFFER_new(der, static_cast<size_t>(size), nullptr));
    const bssl::UniquePtr<X509> parsed(X509_parse_from_buffer(certificates.back().get()));
    if (parsed == nullptr) {
      return Refusal(absl::StrCat("certificate ", certificates.size(), " does not parse"));
    }
  }
  // That there is no further block.
  ERR_clear_error();
  if (certificates.empty()) return Refusal("there is no certificate");
  return certificates;
}

}  // namespace

absl::StatusOr<CertificateChain> CertificateChain::FromPem(absl::string_view certificates_pem,
                                                           absl::string_view private_key_pem) {
  if (certificates_pem.size() > kMaxPemSize || private_key_pem.size() > kMaxPemSize) {
    return Refusal(absl::StrCat("a PEM text is longer than ", kMaxPemSize, " bytes"));
  }
  auto certificates = ParseCertificates(certificates_pem);
  if (!certificates.ok()) return certificates.status();
  // An empty password: a key that needs one must not make the process ask for it.
  bssl::UniquePtr<EVP_PKEY> key(PEM_read_bio_PrivateKey(ToBio(private_key_pem).get(), nullptr,
                                                        nullptr, const_cast<char*>("")));
  if (key == nullptr) return Refusal("there is no private key, or it has a password");
  const bssl::UniquePtr<X509> leaf(X509_parse_from_buffer(certificates->front().get()));
  if (X509_check_private_key(leaf.get(), key.get()) != 1) {
    return Refusal("the private key is not that of the first certificate");
  }
  CertificateChain chain(*std::move(certificates), std::move(key));
  // BoringSSL looks at more than we do, and must not find it at the first connection.
  const bssl::UniquePtr<SSL_CTX> context(SSL_CTX_new(TLS_method()));
  const bssl::UniquePtr<SSL> ssl(SSL_new(context.get()));
  if (!chain.ApplyTo(*ssl)) return Refusal("the first certificate is not for a server");
  return chain;
}

CertificateChain::CertificateChain(std::vector<bssl::UniquePtr<CRYPTO_BUFFER>> certificates,
                                   bssl::UniquePtr<EVP_PKEY> key)
    : certificates_(std::move(certificates)), key_(std::move(key)) {}

bool CertificateChain::ApplyTo(SSL& ssl) const {
  CRYPTO_BUFFER* certificates[kMaxCertificates];
  for (size_t i = 0; i < certificates_.size(); ++i) certificates[i] = certificates_[i].get();
  return SSL_set_chain_and_key(&ssl, certificates, certificates_.size(), key_.get(), nullptr) == 1;
}

size_t CertificateChain::der_size() const {
  size_t size = 0;
  for (const auto& certificate : certificates_) size += CRYPTO_BUFFER_len(certificate.get());
  return size;
}

}  // namespace sluice

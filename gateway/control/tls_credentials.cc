#include "gateway/control/tls_credentials.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

constexpr absl::string_view kFix = "`sluicectl pki init` makes certificates";

// A certificate chain or key is a few kilobytes; a hundred CAs fit as well.
constexpr size_t kMaxFileBytes = 1 << 20;

using Certificates = std::vector<bssl::UniquePtr<X509>>;

absl::StatusOr<std::string> ReadFile(absl::string_view what, const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in.is_open()) {
    text << in.rdbuf();
    in.peek();
  }
  if (!in.is_open() || in.bad()) {
    return absl::NotFoundError(absl::StrCat("cannot read the ", what, " ", path, ": ",
                                            std::generic_category().message(errno), "; ", kFix));
  }
  if (text.str().size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the ", what, " ", path, " is far too large"));
  }
  return text.str();
}

bssl::UniquePtr<BIO> ToBio(const std::string& text) {
  return bssl::UniquePtr<BIO>(BIO_new_mem_buf(text.data(), static_cast<ossl_ssize_t>(text.size())));
}

// All certificates of a PEM file, at least one.
absl::StatusOr<Certificates> ParseCertificates(absl::string_view what, const std::string& path,
                                               const std::string& text) {
  Certificates certificates;
  const bssl::UniquePtr<BIO> bio = ToBio(text);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(certificate);
  }
  // PEM_R_NO_START_LINE is how a file ends; anything else is a certificate that does not parse.
  const uint32_t error = ERR_peek_last_error();
  const bool ended =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (certificates.empty() || !ended) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", what, " ", path, " does not hold certificates in PEM form; ", kFix));
  }
  return certificates;
}

std::string ToString(const ASN1_TIME* time) {
  const bssl::UniquePtr<BIO> bio(BIO_new(BIO_s_mem()));
  const uint8_t* bytes = nullptr;
  size_t size = 0;
  if (ASN1_TIME_print(bio.get(), time) != 1 || BIO_mem_contents(bio.get(), &bytes, &size) != 1) {
    return "an unreadable time";
  }
  return std::string(bytes, bytes + size);
}

absl::Status CheckValidity(absl::string_view what, const std::string& path, const X509& certificate,
                           absl::Time now) {
  time_t seconds = absl::ToTimeT(now);
  const ASN1_TIME* begin = X509_get0_notBefore(&certificate);
  const ASN1_TIME* end = X509_get0_notAfter(&certificate);
  if (X509_cmp_time(begin, &seconds) >= 0) {
    return absl::FailedPreconditionError(absl::StrCat("the ", what, " ", path,
                                                      " is not valid before ", ToString(begin),
                                                      "; check the clock of this machine"));
  }
  if (X509_cmp_time(end, &seconds) <= 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the ", what, " ", path, " expired on ", ToString(end), "; ", kFix));
  }
  return absl::OkStatus();
}

absl::Status CheckKey(const TlsFiles& files, const std::string& text, X509& certificate) {
  // Without a password callback an encrypted key would ask on the terminal.
  const auto no_password = [](char*, int, int, void*) { return 0; };
  const bssl::UniquePtr<BIO> bio = ToBio(text);
  const bssl::UniquePtr<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (key == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the private key ", files.private_key,
                     " does not hold an unencrypted key in PEM form; ", kFix));
  }
  const bool matches = X509_check_private_key(&certificate, key.get()) == 1;
  ERR_clear_error();
  if (!matches) {
    return absl::InvalidArgumentError(absl::StrCat("the private key ", files.private_key,
                                                   " does not belong to the certificate ",
                                                   files.certificate, "; ", kFix));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsIdentity> LoadTlsIdentity(const TlsFiles& files, absl::Time now) {
  TlsIdentity identity;
  Certificates leaf;
  const struct {
    absl::string_view what;
    const std::string& path;
    std::string& text;
  } kCertificateFiles[] = {{"certificate", files.certificate, identity.certificate_pem},
                           {"client CA certificate", files.client_ca, identity.client_ca_pem}};
  for (const auto& file : kCertificateFiles) {
    if (&file.path == &files.client_ca && file.path.empty()) {
      continue;
    }
    absl::StatusOr<std::string> text = ReadFile(file.what, file.path);
    if (!text.ok()) {
      return text.status();
    }
    file.text = *std::move(text);
    absl::StatusOr<Certificates> certificates = ParseCertificates(file.what, file.path, file.text);
    if (!certificates.ok()) {
      return certificates.status();
    }
    for (const auto& certificate : *certificates) {
      absl::Status status = CheckValidity(file.what, file.path, *certificate, now);
      if (!status.ok()) {
        return status;
      }
    }
    if (leaf.empty()) {
      leaf = *std::move(certificates);
    }
  }
  absl::StatusOr<std::string> key = ReadFile("private key", files.private_key);
  if (!key.ok()) {
    return key.status();
  }
  identity.private_key_pem = *std::move(key);
  absl::Status status = CheckKey(files, identity.private_key_pem, *leaf.front());
  if (!status.ok()) {
    return status;
  }
  return identity;
}

std::shared_ptr<grpc::ServerCredentials> ToCredentials(const TlsIdentity& identity) {
  grpc::SslServerCredentialsOptions options(
      identity.client_ca_pem.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                     : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = identity.client_ca_pem;
  options.pem_key_cert_pairs.push_back({identity.private_key_pem, identity.certificate_pem});
  return grpc::SslServerCredentials(options);
}

}  // namespace sluice

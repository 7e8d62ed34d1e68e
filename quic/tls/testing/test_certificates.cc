#include "quic/tls/testing/test_certificates.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/nid.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"

namespace sluice {
namespace {

constexpr int64_t kEnd = 4102444800;  // 2100-01-01.

bssl::UniquePtr<EVP_PKEY> MakeKey() {
  const bssl::UniquePtr<EC_KEY> ec(EC_KEY_new_by_curve_name(NID_X9_62_prime256v1));
  SLUICE_CHECK(ec != nullptr && EC_KEY_generate_key(ec.get()) == 1);
  bssl::UniquePtr<EVP_PKEY> key(EVP_PKEY_new());
  SLUICE_CHECK(EVP_PKEY_set1_EC_KEY(key.get(), ec.get()) == 1);
  return key;
}

std::string Contents(BIO* bio) {
  const uint8_t* bytes = nullptr;
  size_t size = 0;
  SLUICE_CHECK(BIO_mem_contents(bio, &bytes, &size) == 1);
  return std::string(bytes, bytes + size);
}

void AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const bssl::UniquePtr<X509_EXTENSION> extension(
      X509V3_EXT_nconf_nid(nullptr, &context, nid, const_cast<char*>(value.c_str())));
  SLUICE_CHECK(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

bssl::UniquePtr<X509> NewCertificate(absl::string_view name, EVP_PKEY* key) {
  bssl::UniquePtr<X509> certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  static uint64_t serial = 1;
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial++);
  const std::string text(name);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const uint8_t*>(text.c_str()), -1, -1, 0);
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), 0);
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), kEnd);
  SLUICE_CHECK(X509_set_pubkey(certificate.get(), key) == 1);
  return certificate;
}

TestCertificate ToPem(X509* certificate, EVP_PKEY* key) {
  const bssl::UniquePtr<BIO> certificate_pem(BIO_new(BIO_s_mem()));
  const bssl::UniquePtr<BIO> key_pem(BIO_new(BIO_s_mem()));
  SLUICE_CHECK(PEM_write_bio_X509(certificate_pem.get(), certificate) == 1);
  SLUICE_CHECK(
      PEM_write_bio_PrivateKey(key_pem.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return {Contents(certificate_pem.get()), Contents(key_pem.get())};
}

bssl::UniquePtr<BIO> ToBio(const std::string& text) {
  return bssl::UniquePtr<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

}  // namespace

TestCertificate MakeTestRoot() {
  const bssl::UniquePtr<EVP_PKEY> key = MakeKey();
  const bssl::UniquePtr<X509> certificate = NewCertificate("test root", key.get());
  X509* x509 = certificate.get();
  X509_set_issuer_name(x509, X509_get_subject_name(x509));
  AddExtension(x509, x509, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(x509, x509, NID_key_usage, "critical,keyCertSign");
  SLUICE_CHECK(X509_sign(x509, key.get(), EVP_sha256()) != 0);
  return ToPem(x509, key.get());
}

TestCertificate MakeTestCertificate(const TestCertificate& root, absl::string_view name) {
  const bssl::UniquePtr<X509> issuer(
      PEM_read_bio_X509(ToBio(root.certificate).get(), nullptr, nullptr, nullptr));
  const bssl::UniquePtr<EVP_PKEY> issuer_key(
      PEM_read_bio_PrivateKey(ToBio(root.private_key).get(), nullptr, nullptr, nullptr));
  SLUICE_CHECK(issuer != nullptr && issuer_key != nullptr);
  const bssl::UniquePtr<EVP_PKEY> key = MakeKey();
  const bssl::UniquePtr<X509> certificate = NewCertificate(name, key.get());
  X509* x509 = certificate.get();
  X509_set_issuer_name(x509, X509_get_subject_name(issuer.get()));
  AddExtension(x509, issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(x509, issuer.get(), NID_ext_key_usage, "serverAuth");
  const bssl::UniquePtr<ASN1_OCTET_STRING> ip(a2i_IPADDRESS(std::string(name).c_str()));
  ERR_clear_error();
  AddExtension(x509, issuer.get(), NID_subject_alt_name,
               absl::StrCat(ip != nullptr ? "IP:" : "DNS:", name));
  SLUICE_CHECK(X509_sign(x509, issuer_key.get(), EVP_sha256()) != 0);
  return ToPem(x509, key.get());
}

}  // namespace sluice

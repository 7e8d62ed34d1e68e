#include "gateway/control/testing/test_certificates.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/evp.h>
#include <openssl/nid.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <fstream>

#include "base/check.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

bssl::UniquePtr<EVP_PKEY> MakeKey() {
  bssl::UniquePtr<EC_KEY> ec(EC_KEY_new_by_curve_name(NID_X9_62_prime256v1));
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

void AddExtension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  bssl::UniquePtr<X509_EXTENSION> extension(
      X509V3_EXT_nconf_nid(nullptr, &context, nid, const_cast<char*>(value)));
  SLUICE_CHECK(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

bssl::UniquePtr<X509> NewCertificate(const char* name, EVP_PKEY* key,
                                     const TestValidity& validity) {
  bssl::UniquePtr<X509> certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  static uint64_t serial = 1;
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial++);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const uint8_t*>(name),
                             -1, -1, 0);
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), absl::ToTimeT(validity.begin));
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), absl::ToTimeT(validity.end));
  SLUICE_CHECK(X509_set_pubkey(certificate.get(), key) == 1);
  return certificate;
}

TestIdentity ToPem(X509* certificate, EVP_PKEY* key) {
  bssl::UniquePtr<BIO> certificate_pem(BIO_new(BIO_s_mem()));
  bssl::UniquePtr<BIO> key_pem(BIO_new(BIO_s_mem()));
  SLUICE_CHECK(PEM_write_bio_X509(certificate_pem.get(), certificate) == 1);
  SLUICE_CHECK(
      PEM_write_bio_PrivateKey(key_pem.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return {Contents(certificate_pem.get()), Contents(key_pem.get())};
}

bssl::UniquePtr<BIO> ToBio(const std::string& text) {
  return bssl::UniquePtr<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

}  // namespace

TestIdentity MakeTestCa(const TestValidity& validity) {
  const bssl::UniquePtr<EVP_PKEY> key = MakeKey();
  const bssl::UniquePtr<X509> certificate = NewCertificate("test CA", key.get(), validity);
  X509* x509 = certificate.get();
  X509_set_issuer_name(x509, X509_get_subject_name(x509));
  AddExtension(x509, x509, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(x509, x509, NID_key_usage, "critical,keyCertSign,cRLSign");
  SLUICE_CHECK(X509_sign(x509, key.get(), EVP_sha256()) != 0);
  return ToPem(x509, key.get());
}

TestIdentity MakeTestCertificate(const TestIdentity& ca, const TestValidity& validity) {
  const bssl::UniquePtr<X509> issuer(
      PEM_read_bio_X509(ToBio(ca.certificate).get(), nullptr, nullptr, nullptr));
  const bssl::UniquePtr<EVP_PKEY> issuer_key(
      PEM_read_bio_PrivateKey(ToBio(ca.private_key).get(), nullptr, nullptr, nullptr));
  SLUICE_CHECK(issuer != nullptr && issuer_key != nullptr);
  const bssl::UniquePtr<EVP_PKEY> key = MakeKey();
  const bssl::UniquePtr<X509> certificate = NewCertificate("test", key.get(), validity);
  X509* x509 = certificate.get();
  X509_set_issuer_name(x509, X509_get_subject_name(issuer.get()));
  AddExtension(x509, issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(x509, issuer.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  AddExtension(x509, issuer.get(), NID_subject_alt_name, "IP:127.0.0.1,IP:::1");
  SLUICE_CHECK(X509_sign(x509, issuer_key.get(), EVP_sha256()) != 0);
  return ToPem(x509, key.get());
}

std::string WriteTestFile(absl::string_view name, absl::string_view text) {
  const std::string path = ::testing::TempDir() + "/" + std::string(name);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  SLUICE_CHECK(out.good());
  return path;
}

TlsFiles WriteTlsFiles(const TestIdentity& identity, const TestIdentity& ca) {
  return {WriteTestFile("server.crt", identity.certificate),
          WriteTestFile("server.key", identity.private_key),
          WriteTestFile("ca.crt", ca.certificate)};
}

}  // namespace sluice

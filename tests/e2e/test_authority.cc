#include "tests/e2e/test_authority.h"

#include <openssl/bio.h>
#include <openssl/bytestring.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/evp.h>
#include <openssl/mem.h>
#include <openssl/nid.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <functional>

#include "gtest/gtest.h"

namespace sluice {
namespace {

bssl::UniquePtr<EVP_PKEY> MakeKey() {
  const bssl::UniquePtr<EC_KEY> ec(EC_KEY_new_by_curve_name(NID_X9_62_prime256v1));
  bssl::UniquePtr<EVP_PKEY> key(EVP_PKEY_new());
  EXPECT_TRUE(EC_KEY_generate_key(ec.get()));
  EXPECT_TRUE(EVP_PKEY_set1_EC_KEY(key.get(), ec.get()));
  return key;
}

std::string ToPem(const std::function<int(BIO*)>& write) {
  const bssl::UniquePtr<BIO> bio(BIO_new(BIO_s_mem()));
  EXPECT_EQ(write(bio.get()), 1);
  const uint8_t* data = nullptr;
  size_t size = 0;
  EXPECT_TRUE(BIO_mem_contents(bio.get(), &data, &size));
  return std::string(reinterpret_cast<const char*>(data), size);
}

std::string ToPem(X509* certificate) {
  return ToPem([certificate](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

std::string ToPem(EVP_PKEY* key) {
  return ToPem([key](BIO* bio) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

void AddExtension(X509* certificate, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const bssl::UniquePtr<X509_EXTENSION> extension(
      X509V3_EXT_nconf_nid(nullptr, &context, nid, value));
  ASSERT_NE(extension, nullptr) << value;
  EXPECT_TRUE(X509_add_ext(certificate, extension.get(), -1));
}

// Everything but extensions, issuer and signature.
bssl::UniquePtr<X509> MakeCertificate(EVP_PKEY* key, const char* name, long serial,
                                      const Validity& validity) {
  bssl::UniquePtr<X509> certificate(X509_new());
  EXPECT_TRUE(X509_set_version(certificate.get(), X509_VERSION_3));
  EXPECT_TRUE(ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial));
  EXPECT_TRUE(X509_gmtime_adj(X509_getm_notBefore(certificate.get()), validity.begin));
  EXPECT_TRUE(X509_gmtime_adj(X509_getm_notAfter(certificate.get()), validity.end));
  EXPECT_TRUE(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN",
                                         MBSTRING_UTF8, reinterpret_cast<const uint8_t*>(name), -1,
                                         -1, 0));
  EXPECT_TRUE(X509_set_pubkey(certificate.get(), key));
  return certificate;
}

}  // namespace

TestAuthority::TestAuthority() : key_(MakeKey()) {
  root_ = MakeCertificate(key_.get(), "e2e test authority", serial_++, Validity{});
  X509_set_issuer_name(root_.get(), X509_get_subject_name(root_.get()));
  AddExtension(root_.get(), NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(root_.get(), NID_key_usage, "critical,keyCertSign");
  EXPECT_GT(X509_sign(root_.get(), key_.get(), EVP_sha256()), 0);
  certificate_ = ToPem(root_.get());
}

Credentials TestAuthority::Issue(const Validity& validity) {
  const bssl::UniquePtr<EVP_PKEY> key = MakeKey();
  const bssl::UniquePtr<X509> leaf =
      MakeCertificate(key.get(), "e2e test peer", serial_++, validity);
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(root_.get()));
  AddExtension(leaf.get(), NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
  AddExtension(leaf.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  EXPECT_GT(X509_sign(leaf.get(), key_.get(), EVP_sha256()), 0);
  return {ToPem(leaf.get()), ToPem(key.get())};
}

}  // namespace sluice

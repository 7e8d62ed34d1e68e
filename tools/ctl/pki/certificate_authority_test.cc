#include "tools/ctl/pki/certificate_authority.h"

#include <openssl/bio.h>
#include <openssl/nid.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
constexpr int kDays = 30;

bssl::UniquePtr<X509> ReadCertificate(const std::string& pem) {
  bssl::UniquePtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return bssl::UniquePtr<X509>(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

bssl::UniquePtr<EVP_PKEY> ReadKey(const std::string& pem) {
  bssl::UniquePtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return bssl::UniquePtr<EVP_PKEY>(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

// What a peer would check. The default is a server certificate, just issued.
struct Verification {
  int purpose = X509_PURPOSE_SSL_SERVER;
  std::string host = "";
  std::string ip = "";
  absl::Time at = kNow;
};

// "ok", or why X509_verify_cert refuses the certificate.
std::string Verify(const std::string& authority_pem, const std::string& pem,
                   const Verification& how) {
  const bssl::UniquePtr<X509> authority = ReadCertificate(authority_pem);
  const bssl::UniquePtr<X509> certificate = ReadCertificate(pem);
  bssl::UniquePtr<X509_STORE> store(X509_STORE_new());
  bssl::UniquePtr<X509_STORE_CTX> context(X509_STORE_CTX_new());
  X509_STORE_add_cert(store.get(), authority.get());
  X509_STORE_CTX_init(context.get(), store.get(), certificate.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), how.purpose);
  X509_VERIFY_PARAM* param = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time_posix(param, absl::ToUnixSeconds(how.at));
  if (!how.host.empty()) X509_VERIFY_PARAM_set1_host(param, how.host.data(), how.host.size());
  if (!how.ip.empty()) X509_VERIFY_PARAM_set1_ip_asc(param, how.ip.c_str());
  if (X509_verify_cert(context.get()) == 1) return "ok";
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

class CertificateAuthorityTest : public testing::Test {
 protected:
  CertificateAuthorityTest()
      : authority_(*CertificateAuthority::Create({kNow, kDays})),
        server_(*authority_.IssueServer({"localhost", "gw.example.com", "127.0.0.1", "::1"})),
        client_(*authority_.IssueClient("sluicectl")) {}

  std::string VerifyServer(const Verification& how) {
    return Verify(authority_.identity().certificate, server_.certificate, how);
  }

  CertificateAuthority authority_;
  PemIdentity server_;
  PemIdentity client_;
};

TEST_F(CertificateAuthorityTest, AServerIsBelievedUnderEachOfItsNames) {
  EXPECT_EQ(VerifyServer({.host = "localhost"}), "ok");
  EXPECT_EQ(VerifyServer({.host = "gw.example.com"}), "ok");
  EXPECT_EQ(VerifyServer({.ip = "127.0.0.1"}), "ok");
  EXPECT_EQ(VerifyServer({.ip = "::1"}), "ok");
  EXPECT_THAT(VerifyServer({.host = "other.example.com"}), HasSubstr("ostname mismatch"));
  EXPECT_THAT(VerifyServer({.ip = "127.0.0.2"}), HasSubstr("IP address mismatch"));
}

TEST_F(CertificateAuthorityTest, EachCertificateIsGoodForOneSideOnly) {
  EXPECT_EQ(Verify(authority_.identity().certificate, client_.certificate,
                   {.purpose = X509_PURPOSE_SSL_CLIENT}),
            "ok");
  EXPECT_THAT(VerifyServer({.purpose = X509_PURPOSE_SSL_CLIENT}), HasSubstr("purpose"));
  EXPECT_THAT(Verify(authority_.identity().certificate, client_.certificate, {}),
              HasSubstr("purpose"));
}

TEST_F(CertificateAuthorityTest, ValidityHasABeginAndAnEnd) {
  const absl::Duration life = absl::Hours(24) * kDays;
  EXPECT_EQ(VerifyServer({.at = kNow - absl::Minutes(9)}), "ok");
  EXPECT_EQ(VerifyServer({.at = kNow + life - absl::Minutes(1)}), "ok");
  EXPECT_THAT(VerifyServer({.at = kNow - absl::Minutes(11)}), HasSubstr("not yet valid"));
  EXPECT_THAT(VerifyServer({.at = kNow + life + absl::Minutes(1)}), HasSubstr("expired"));
  EXPECT_EQ(*CertificateEnd(server_.certificate), kNow + life);
  EXPECT_FALSE(CertificateEnd("no certificate").ok());
}

TEST_F(CertificateAuthorityTest, AnotherAuthorityOfTheSameNameIsNotBelieved) {
  const auto other = CertificateAuthority::Create({kNow, kDays});
  EXPECT_NE(Verify(other->identity().certificate, server_.certificate, {}), "ok");
}

TEST_F(CertificateAuthorityTest, TheAuthoritySignsNoAuthorities) {
  const bssl::UniquePtr<X509> certificate = ReadCertificate(authority_.identity().certificate);
  EXPECT_EQ(X509_check_ca(certificate.get()), 1);
  EXPECT_EQ(X509_get_pathlen(certificate.get()), 0);
  EXPECT_EQ(X509_get_key_usage(certificate.get()),
            static_cast<uint32_t>(KU_KEY_CERT_SIGN | KU_CRL_SIGN));
  EXPECT_EQ(X509_check_ca(ReadCertificate(server_.certificate).get()), 0);
}

TEST_F(CertificateAuthorityTest, KeysBelongToTheirCertificatesAndToNoOther) {
  for (const PemIdentity& identity : {authority_.identity(), server_, client_}) {
    const auto certificate = ReadCertificate(identity.certificate);
    const auto key = ReadKey(identity.private_key);
    ASSERT_TRUE(certificate && key);
    EXPECT_EQ(EVP_PKEY_id(key.get()), EVP_PKEY_EC);
    EXPECT_EQ(EVP_PKEY_bits(key.get()), 256);
    EXPECT_EQ(X509_check_private_key(certificate.get(), key.get()), 1);
  }
  EXPECT_NE(server_.private_key, client_.private_key);
}

TEST_F(CertificateAuthorityTest, RefusesWhatIsNoHost) {
  for (const char* host : {"a", "gateway", "gw-1.example.com", "192.0.2.1", "2001:db8::1"}) {
    EXPECT_TRUE(CheckCertificateHost(host).ok()) << host;
  }
  for (const std::string& host :
       {std::string(""), std::string("."), std::string("a..b"), std::string("-a"),
        std::string("a b"), std::string("a\0b", 3), std::string("192.0.2.256"), std::string("a:5"),
        std::string(64, 'a'), std::string("https://a")}) {
    EXPECT_FALSE(CheckCertificateHost(host).ok()) << host;
    EXPECT_FALSE(authority_.IssueServer({host}).ok()) << host;
  }
  EXPECT_FALSE(authority_.IssueServer({}).ok());
}

}  // namespace
}  // namespace sluice

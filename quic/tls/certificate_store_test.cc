#include "quic/tls/certificate_store.h"

#include <openssl/pool.h>
#include <openssl/ssl.h>

#include <string>
#include <thread>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/test_certificates.h"

namespace sluice {
namespace {

class CertificateStoreTest : public testing::Test {
 protected:
  // The certificate that a new connection gets.
  std::string Current() {
    const bssl::UniquePtr<SSL> ssl(SSL_new(context_.get()));
    EXPECT_TRUE(store_.ApplyTo(*ssl));
    return Of(*ssl);
  }
  static std::string Of(const SSL& ssl) {
    X509* x509 = SSL_get_certificate(&ssl);
    unsigned char* der = nullptr;
    const int size = i2d_X509(x509, &der);
    const std::string bytes(der, der + size);
    OPENSSL_free(der);
    return bytes;
  }

  TestCertificate root_ = MakeTestRoot();
  TestCertificate old_ = MakeTestCertificate(root_);
  TestCertificate new_ = MakeTestCertificate(root_);
  CertificateStore store_{*CertificateChain::FromPem(old_.certificate, old_.private_key)};
  bssl::UniquePtr<SSL_CTX> context_{SSL_CTX_new(TLS_method())};
};

TEST_F(CertificateStoreTest, NewConnectionsGetTheNewOneAndOldOnesKeepTheirs) {
  const std::string before = Current();
  const bssl::UniquePtr<SSL> old(SSL_new(context_.get()));
  ASSERT_TRUE(store_.ApplyTo(*old));
  ASSERT_EQ(store_.Replace(new_.certificate, new_.private_key), absl::OkStatus());
  EXPECT_NE(Current(), before);
  EXPECT_EQ(Of(*old), before);
  EXPECT_EQ(store_.counters().replaced, 1u);
}

TEST_F(CertificateStoreTest, AMistakeKeepsTheOldOne) {
  const std::string before = Current();
  EXPECT_EQ(store_.Replace(new_.certificate, old_.private_key).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Current(), before);
  EXPECT_EQ(store_.counters().refused, 1u);
  EXPECT_EQ(store_.counters().replaced, 0u);
}

TEST_F(CertificateStoreTest, ThreadsSeeTheOldOneOrTheNewOneWhole) {
  const std::string before = Current();
  ASSERT_EQ(store_.Replace(new_.certificate, new_.private_key), absl::OkStatus());
  const std::string after = Current();
  std::thread replacing([this] {
    for (int i = 0; i < 50; ++i) {
      const TestCertificate& next = i % 2 == 0 ? old_ : new_;
      EXPECT_EQ(store_.Replace(next.certificate, next.private_key), absl::OkStatus());
    }
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = Current();
    EXPECT_TRUE(seen == before || seen == after);
  }
  replacing.join();
  EXPECT_EQ(store_.counters().replaced, 51u);
}

}  // namespace
}  // namespace sluice

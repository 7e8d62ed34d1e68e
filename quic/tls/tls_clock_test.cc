#include "quic/tls/tls_clock.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <cstdint>

#include "gtest/gtest.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/test_certificates.h"

namespace sluice {
namespace {

// A TLS client that uses the clock, and who answers it.
class ScopedTlsTimeTest : public testing::Test {
 protected:
  ScopedTlsTimeTest() { ScopedTlsTime::UseIn(*context_); }

  // When BoringSSL says that a session was made now.
  uint64_t TimeOfNewSession() {
    const bssl::UniquePtr<SSL> client(SSL_new(context_.get()));
    const bssl::UniquePtr<SSL> server(SSL_new(context_.get()));
    const TestCertificate leaf = MakeTestCertificate(MakeTestRoot());
    EXPECT_TRUE(CertificateChain::FromPem(leaf.certificate, leaf.private_key)->ApplyTo(*server));
    BIO* client_side = nullptr;
    BIO* server_side = nullptr;
    EXPECT_EQ(BIO_new_bio_pair(&client_side, 0, &server_side, 0), 1);
    SSL_set_bio(client.get(), client_side, client_side);
    SSL_set_bio(server.get(), server_side, server_side);
    SSL_set_connect_state(client.get());
    SSL_set_accept_state(server.get());
    for (int round = 0; round < 4; ++round) {
      SSL_do_handshake(client.get());
      SSL_do_handshake(server.get());
    }
    EXPECT_EQ(SSL_in_init(client.get()), 0);
    return SSL_SESSION_get_time(SSL_get_session(client.get()));
  }

  bssl::UniquePtr<SSL_CTX> context_{SSL_CTX_new(TLS_method())};
};

TEST_F(ScopedTlsTimeTest, BoringSslSeesTheInnermostTime) {
  const ScopedTlsTime outer(1000);
  EXPECT_EQ(TimeOfNewSession(), 1000u);
  {
    const ScopedTlsTime inner(2000);
    EXPECT_EQ(TimeOfNewSession(), 2000u);
  }
  EXPECT_EQ(TimeOfNewSession(), 1000u);
}

}  // namespace
}  // namespace sluice

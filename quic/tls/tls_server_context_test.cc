#include "quic/tls/tls_server_context.h"

#include <openssl/ssl.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/test_certificates.h"

namespace sluice {
namespace {

class TlsServerContextTest : public testing::Test {
 protected:
  absl::Status Create(TlsServerOptions options) {
    return TlsServerContext::Create(
               std::move(options), *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key),
               Timestamp::Zero(), random_)
        .status();
  }

  SeededRandom random_{34};
  TestCertificate leaf_ = MakeTestCertificate(MakeTestRoot());
};

TEST_F(TlsServerContextTest, SpeaksNothingOlderThanTls13) {
  const auto context = TlsServerContext::Create(
      {.protocols = {{.name = "h3"}}},
      *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key), Timestamp::Zero(), random_);
  ASSERT_EQ(context.status(), absl::OkStatus());
  const bssl::UniquePtr<SSL> ssl = (*context)->NewSession(Timestamp::Zero());
  ASSERT_NE(ssl, nullptr);
  EXPECT_EQ(SSL_get_min_proto_version(ssl.get()), TLS1_3_VERSION);
  EXPECT_EQ(SSL_is_server(ssl.get()), 1);
}

TEST_F(TlsServerContextTest, SaysWhatIsWrong) {
  EXPECT_EQ(Create({}).message(), "there are 0 application protocols, not 1 to 16");
  EXPECT_EQ(
      Create({.protocols = {{.name = "h3"}}, .ticket_key_lifetime = TimeDelta::Zero()}).message(),
      "ticket_key_lifetime is 0 s, not 1 s to 302400 s");
  EXPECT_EQ(Create({.protocols = {{.name = "h3"}},
                    .ticket_key_lifetime = TimeDelta::Minutes(5040) + TimeDelta::Micros(1)})
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace sluice

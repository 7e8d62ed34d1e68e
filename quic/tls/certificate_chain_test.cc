#include "quic/tls/certificate_chain.h"

#include <openssl/err.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "quic/tls/testing/test_certificates.h"

namespace sluice {
namespace {

class CertificateChainTest : public testing::Test {
 protected:
  static std::string Refusal(absl::string_view certificates, absl::string_view key) {
    const absl::Status status = CertificateChain::FromPem(certificates, key).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(ERR_peek_error(), 0u) << "left for somebody else to find";
    return std::string(status.message());
  }

  TestCertificate root_ = MakeTestRoot();
  TestCertificate leaf_ = MakeTestCertificate(root_);
};

TEST_F(CertificateChainTest, TakesAChainAndItsKey) {
  const auto alone = CertificateChain::FromPem(leaf_.certificate, leaf_.private_key);
  ASSERT_EQ(alone.status(), absl::OkStatus());
  EXPECT_EQ(alone->size(), 1u);
  const auto chain =
      CertificateChain::FromPem(leaf_.certificate + root_.certificate, leaf_.private_key);
  ASSERT_EQ(chain.status(), absl::OkStatus());
  EXPECT_EQ(chain->size(), 2u);
  EXPECT_GT(chain->der_size(), alone->der_size());
  EXPECT_LT(chain->der_size(), 2000u);
}

TEST_F(CertificateChainTest, SaysWhatIsWrong) {
  EXPECT_EQ(Refusal("", leaf_.private_key), "there is no certificate");
  EXPECT_EQ(Refusal(leaf_.private_key, leaf_.private_key), "there is no certificate");
  EXPECT_EQ(Refusal(leaf_.certificate, ""), "there is no private key, or it has a password");
  EXPECT_EQ(Refusal(leaf_.certificate, root_.private_key),
            "the private key is not that of the first certificate");
  EXPECT_EQ(Refusal(root_.certificate + leaf_.certificate, leaf_.private_key),
            "the private key is not that of the first certificate");
  EXPECT_EQ(
      Refusal(leaf_.certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
              leaf_.private_key),
      "certificate 2 does not parse");
  EXPECT_EQ(Refusal(root_.certificate, root_.private_key),
            "the first certificate is not for a server");
  std::string many;
  for (int i = 0; i < 9; ++i) many += leaf_.certificate;
  EXPECT_EQ(Refusal(many, leaf_.private_key), "there are more than 8 certificates");
}

}  // namespace
}  // namespace sluice

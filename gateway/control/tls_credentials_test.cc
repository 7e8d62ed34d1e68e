#include "gateway/control/tls_credentials.h"

#include <filesystem>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gateway/config/config.h"
#include "gateway/control/testing/test_certificates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TlsCredentialsTest : public ::testing::Test {
 protected:
  // What is said about the files, with the folder of the test left out.
  std::string Refusal() {
    const absl::StatusOr<TlsIdentity> identity = LoadTlsIdentity(files_, absl::Now());
    EXPECT_FALSE(identity.ok());
    std::string message(identity.status().message());
    const std::string folder = ::testing::TempDir() + "/";
    for (size_t at; (at = message.find(folder)) != std::string::npos;) {
      message.erase(at, folder.size());
    }
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    return message;
  }

  TestIdentity ca_ = MakeTestCa();
  TestIdentity server_ = MakeTestCertificate(ca_);
  TlsFiles files_ = WriteTlsFiles(server_, ca_);
};

TEST_F(TlsCredentialsTest, TakesFilesThatBelongTogether) {
  const absl::StatusOr<TlsIdentity> identity = LoadTlsIdentity(files_, absl::Now());
  ASSERT_EQ(identity.status(), absl::OkStatus());
  EXPECT_EQ(identity->certificate_pem, server_.certificate);
  EXPECT_EQ(identity->private_key_pem, server_.private_key);
  EXPECT_EQ(identity->client_ca_pem, ca_.certificate);
  EXPECT_NE(ToCredentials(*identity), nullptr);
}

TEST_F(TlsCredentialsTest, TakesChainsAndSeveralAuthorities) {
  WriteTestFile("server.crt", server_.certificate + ca_.certificate);
  WriteTestFile("ca.crt", ca_.certificate + MakeTestCa().certificate);
  EXPECT_EQ(LoadTlsIdentity(files_, absl::Now()).status(), absl::OkStatus());
}

TEST_F(TlsCredentialsTest, NamesTheFileThatIsMissing) {
  std::filesystem::remove(files_.certificate);
  EXPECT_EQ(
      Refusal(),
      "cannot read the certificate server.crt: No such file or directory; `sluicectl pki init` "
      "makes certificates");
  files_ = WriteTlsFiles(server_, ca_);
  std::filesystem::remove(files_.private_key);
  EXPECT_THAT(Refusal(), HasSubstr("cannot read the private key server.key: No such file"));
  files_ = WriteTlsFiles(server_, ca_);
  std::filesystem::remove(files_.client_ca);
  EXPECT_THAT(Refusal(), HasSubstr("cannot read the client CA certificate ca.crt: No such file"));
  files_.client_ca = ::testing::TempDir();
  EXPECT_THAT(Refusal(), HasSubstr("Is a directory"));
}

TEST_F(TlsCredentialsTest, NamesTheFileThatIsNoPem) {
  for (const std::string& text :
       {std::string(), std::string("hello"), server_.private_key,
        server_.certificate.substr(0, server_.certificate.size() / 2),
        server_.certificate + server_.certificate.substr(0, 200) + "-----END CERTIFICATE-----\n"}) {
    WriteTestFile("server.crt", text);
    EXPECT_THAT(Refusal(),
                HasSubstr("the certificate server.crt does not hold certificates in PEM form"));
  }
  files_ = WriteTlsFiles(server_, ca_);
  WriteTestFile("ca.crt", "hello");
  EXPECT_THAT(Refusal(), HasSubstr("the client CA certificate ca.crt does not hold"));
  files_ = WriteTlsFiles(server_, ca_);
  for (const std::string& text : {std::string(), server_.certificate}) {
    WriteTestFile("server.key", text);
    EXPECT_THAT(
        Refusal(),
        HasSubstr("the private key server.key does not hold an unencrypted key in PEM form"));
  }
}

TEST_F(TlsCredentialsTest, AKeyWithAPasswordIsRefusedInsteadOfAskingForIt) {
  // As OpenSSL writes them: PKCS #8, PBES2.
  WriteTestFile("server.key",
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgAAAAAAAAAAAICCAAw\n"
                "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAAAAAAAAAAAAAAAAAAAAAAEgZAA\n"
                "-----END ENCRYPTED PRIVATE KEY-----\n");
  EXPECT_THAT(Refusal(), HasSubstr("does not hold an unencrypted key"));
}

TEST_F(TlsCredentialsTest, AKeyOfAnotherCertificateIsFound) {
  WriteTestFile("server.key", MakeTestCertificate(ca_).private_key);
  EXPECT_THAT(Refusal(), HasSubstr("the private key server.key does not belong to the certificate "
                                   "server.crt"));
}

TEST_F(TlsCredentialsTest, CertificatesOutOfTheirTimeAreNamedWithTheDay) {
  const TestValidity past = {absl::UnixEpoch() + absl::Hours(24),
                             absl::UnixEpoch() + absl::Hours(48)};
  const TestValidity future = {absl::Now() + absl::Hours(1), absl::Now() + absl::Hours(2)};
  WriteTlsFiles(MakeTestCertificate(ca_, past), ca_);
  EXPECT_EQ(Refusal(),
            "the certificate server.crt expired on Jan  3 00:00:00 1970 GMT; `sluicectl pki init` "
            "makes certificates");
  WriteTlsFiles(MakeTestCertificate(ca_, future), ca_);
  EXPECT_THAT(Refusal(), HasSubstr("the certificate server.crt is not valid before"));
  WriteTlsFiles(server_, MakeTestCa(past));
  EXPECT_THAT(Refusal(), HasSubstr("the client CA certificate ca.crt expired on"));
}

TEST_F(TlsCredentialsTest, WithoutAuthorityNobodyIsAskedForACertificate) {
  files_.client_ca.clear();
  const absl::StatusOr<TlsIdentity> identity = LoadTlsIdentity(files_, absl::Now());
  ASSERT_EQ(identity.status(), absl::OkStatus());
  EXPECT_EQ(identity->certificate_pem, server_.certificate);
  EXPECT_EQ(identity->client_ca_pem, "");
  EXPECT_NE(ToCredentials(*identity), nullptr);
}

TEST_F(TlsCredentialsTest, AFileThatIsFarTooLargeIsNotParsed) {
  WriteTestFile("ca.crt", std::string((1 << 20) + 1, 'x'));
  EXPECT_THAT(Refusal(), HasSubstr("ca.crt is far too large"));
}

}  // namespace
}  // namespace sluice

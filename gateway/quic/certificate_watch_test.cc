#include "gateway/quic/certificate_watch.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gateway/control/testing/test_certificates.h"
#include "gtest/gtest.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/certificate_store.h"

namespace sluice {
namespace {

using Outcome = CertificateOutcome;

class CertificateWatchTest : public ::testing::Test {
 protected:
  // As those who renew certificates do: another file takes the name.
  void Install(const std::string& path, const std::string& text) {
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
  }
  void Install(const TestIdentity& identity) {
    Install(certificate_file_, identity.certificate);
    Install(private_key_file_, identity.private_key);
  }

  const absl::Time now_ = absl::Now();
  const TestIdentity ca_ = MakeTestCa();
  const TestIdentity first_ = MakeTestCertificate(ca_);
  const std::string folder_ = absl::StrCat(
      ::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const bool made_ = std::filesystem::create_directories(folder_);
  const std::string certificate_file_ = folder_ + "/server.crt";
  const std::string private_key_file_ = folder_ + "/server.key";
  CertificateStore store_{
      CertificateChain::FromPem(first_.certificate, first_.private_key).value()};
};

TEST_F(CertificateWatchTest, LooksAtNothingThatDidNotChange) {
  Install(first_);
  CertificateWatch watch(certificate_file_, private_key_file_, store_);
  EXPECT_EQ(watch.Check(now_), Outcome::kUnchanged);
  EXPECT_EQ(watch.Check(now_), Outcome::kUnchanged);
  EXPECT_EQ(store_.counters().replaced, 0u);
}

TEST_F(CertificateWatchTest, TakesARenewedCertificateOnce) {
  Install(first_);
  CertificateWatch watch(certificate_file_, private_key_file_, store_);
  Install(MakeTestCertificate(ca_));
  EXPECT_EQ(watch.Check(now_), Outcome::kReplaced);
  EXPECT_EQ(watch.Check(now_), Outcome::kUnchanged);
  EXPECT_EQ(store_.counters().replaced, 1u);
  EXPECT_EQ(watch.replaced(), 1u);
}

TEST_F(CertificateWatchTest, ReadsAgainWhenItIsToldTo) {
  Install(first_);
  CertificateWatch watch(certificate_file_, private_key_file_, store_);
  EXPECT_EQ(watch.Reload(now_), Outcome::kReplaced);
  EXPECT_EQ(watch.replaced(), 1u);
}

TEST_F(CertificateWatchTest, KeepsTheOldOneUntilBothFilesAreThere) {
  Install(first_);
  CertificateWatch watch(certificate_file_, private_key_file_, store_);
  const TestIdentity second = MakeTestCertificate(ca_);
  Install(certificate_file_, second.certificate);
  EXPECT_EQ(watch.Check(now_), Outcome::kRefused) << "the key is that of the old one";
  EXPECT_EQ(watch.Check(now_), Outcome::kUnchanged) << "what was refused is not read again";
  EXPECT_EQ(store_.counters().replaced, 0u);
  Install(private_key_file_, second.private_key);
  EXPECT_EQ(watch.Check(now_), Outcome::kReplaced);
  EXPECT_EQ(watch.refused(), 1u);
}

TEST_F(CertificateWatchTest, FilesThatAreGoneOrSpoiledChangeNothing) {
  Install(first_);
  CertificateWatch watch(certificate_file_, private_key_file_, store_);
  std::filesystem::remove(certificate_file_);
  EXPECT_EQ(watch.Check(now_), Outcome::kRefused);
  Install(certificate_file_, "not a certificate");
  EXPECT_EQ(watch.Check(now_), Outcome::kRefused);
  EXPECT_EQ(store_.counters().replaced, 0u);
  EXPECT_EQ(watch.refused(), 2u);
}

TEST_F(CertificateWatchTest, ACertificateThatHasEndedIsRefused) {
  Install(first_);
  CertificateWatch watch(certificate_file_, private_key_file_, store_);
  Install(MakeTestCertificate(ca_, {.begin = now_ - absl::Hours(2), .end = now_ - absl::Hours(1)}));
  EXPECT_EQ(watch.Check(now_), Outcome::kRefused);
}

}  // namespace
}  // namespace sluice

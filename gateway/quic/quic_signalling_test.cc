#include "gateway/quic/quic_signalling.h"

#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gateway/config/config.h"
#include "gateway/config/limits.h"
#include "gateway/control/node_report.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/test_certificates.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gateway/net/transport_address.h"
#include "gateway/signalling/participant_calls.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What clients see of it is in tests/e2e/quic_signalling_test.cc.
class QuicSignallingTest : public ::testing::Test {
 protected:
  QuicSignallingTest() {
    const TestIdentity ca = MakeTestCa();
    const TlsFiles files = WriteTlsFiles(MakeTestCertificate(ca), ca);
    config_.listen = {Loopback(IpFamily::kIpv4), 0};
    config_.certificate = files.certificate;
    config_.private_key = files.private_key;
    limits_.quic_connections = 64;
  }

  absl::StatusOr<std::unique_ptr<QuicSignalling>> Start() {
    return QuicSignalling::Start(config_, limits_, calls_, harness_.room().log());
  }
  std::string Refusal() { return std::string(Start().status().message()); }

  ControlHarness harness_;
  ParticipantCalls calls_{harness_.service(), harness_.room(), harness_.tokens()};
  QuicConfig config_;
  Limits limits_;
};

TEST_F(QuicSignallingTest, ListensOnAPortOfEitherFamilyAndStops) {
  for (const IpFamily family : {IpFamily::kIpv4, IpFamily::kIpv6}) {
    config_.listen = {Loopback(family), 0};
    const auto signalling = Start();
    ASSERT_EQ(signalling.status(), absl::OkStatus());
    EXPECT_EQ((*signalling)->address().ip, Loopback(family));
    EXPECT_NE((*signalling)->address().port, 0);
    const QuicUse use = (*signalling)->use();
    EXPECT_EQ(use.status.address(), (*signalling)->address().ToString());
    EXPECT_EQ(use.status.connections(), 0u);
    (*signalling)->Stop(absl::Seconds(5));
    (*signalling)->Stop(absl::Seconds(5));
  }
}

TEST_F(QuicSignallingTest, ABusyPortIsToldWithItsReason) {
  const auto first = Start();
  ASSERT_EQ(first.status(), absl::OkStatus());
  config_.listen = (*first)->address();
  const std::string sentence = Refusal();
  EXPECT_THAT(sentence, StartsWith("cannot listen for participants over QUIC at " +
                                   config_.listen.ToString() + ": "));
  EXPECT_THAT(sentence, HasSubstr("in use"));
  EXPECT_THAT(sentence, HasSubstr("--quic-listen"));
}

TEST_F(QuicSignallingTest, FilesThatCannotBeUsedAreNamed) {
  const QuicConfig good = config_;
  config_.certificate = "/nowhere/server.crt";
  EXPECT_THAT(Refusal(), HasSubstr("cannot read the certificate /nowhere/server.crt"));
  config_ = good;
  config_.secret_file = WriteTestFile("quic.secret", std::string(64, 'a'));
  std::filesystem::permissions(config_.secret_file, std::filesystem::perms(0644));
  EXPECT_THAT(Refusal(), HasSubstr("chmod 600"));
  std::filesystem::permissions(config_.secret_file, std::filesystem::perms(0600));
  EXPECT_EQ(Start().status(), absl::OkStatus());
  config_ = good;
  config_.key_log_file = "/nowhere/keys";
  EXPECT_THAT(Refusal(), HasSubstr("cannot write the key log /nowhere/keys"));
}

TEST_F(QuicSignallingTest, TheCertificateIsExchangedWhenItsFilesChange) {
  const auto signalling = Start();
  ASSERT_EQ(signalling.status(), absl::OkStatus());
  (*signalling)->CheckCertificate();
  EXPECT_EQ((*signalling)->use().status.certificates_replaced(), 0u);
  (*signalling)->ReloadCertificate();
  EXPECT_EQ((*signalling)->use().status.certificates_replaced(), 1u);
  std::filesystem::remove(config_.private_key);
  (*signalling)->CheckCertificate();
  EXPECT_EQ((*signalling)->use().status.certificates_refused(), 1u);
}

TEST_F(QuicSignallingTest, LeavesNoDescriptorBehind) {
  { ASSERT_EQ(Start().status(), absl::OkStatus()); }
  const size_t before = CountOpenDescriptors();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(Start().status(), absl::OkStatus());
  }
  EXPECT_EQ(CountOpenDescriptors(), before);
}

}  // namespace
}  // namespace sluice

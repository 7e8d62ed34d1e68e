#include "gateway/gateway.h"

#include <grpcpp/grpcpp.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gateway/config/config.h"
#include "gateway/control/control_server.h"
#include "gateway/control/testing/test_certificates.h"
#include "gateway/io/testing/free_ports.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/proto/grpc/health/v1/health.grpc.pb.h"
#include "src/proto/grpc/health/v1/health.pb.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

// Small, on loopback, without TLS, on a control port of the kernel's choice.
Config SmallConfig(IpFamily family = IpFamily::kIpv4) {
  const auto ports = FindFreePorts(8);
  Config config;
  config.listen = {Loopback(family), 0};
  config.media.first_port = ports.first;
  config.media.last_port = ports.last;
  config.media.ipv4 = Loopback(IpFamily::kIpv4);
  config.media.ipv6 = Loopback(IpFamily::kIpv6);
  config.workers = 2;
  config.limits.sessions = 4;
  return config;
}

// What the health service answers for the gateway as a whole; an error when nobody answers.
absl::StatusOr<bool> IsServing(const TransportAddress& address,
                               const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  const auto channel = grpc::CreateChannel(address.ToString(), credentials);
  const auto stub = grpc::health::v1::Health::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(30)));
  grpc::health::v1::HealthCheckResponse response;
  const grpc::Status status =
      stub->Check(&context, grpc::health::v1::HealthCheckRequest(), &response);
  if (!status.ok()) {
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  }
  return response.status() == grpc::health::v1::HealthCheckResponse::SERVING;
}

class GatewayTest : public ::testing::Test {
 protected:
  GatewayTest() { SetGrpcLogQuiet(true); }
};

TEST_F(GatewayTest, ServesFromStartToStop) {
  for (const IpFamily family : {IpFamily::kIpv4, IpFamily::kIpv6}) {
    absl::StatusOr<std::unique_ptr<Gateway>> gateway = Gateway::Create(SmallConfig(family));
    ASSERT_EQ(gateway.status(), absl::OkStatus());
    const TransportAddress address = (*gateway)->control_address();
    EXPECT_EQ(address.ip, Loopback(family));
    EXPECT_NE(address.port, 0);
    EXPECT_EQ(IsServing(address, grpc::InsecureChannelCredentials()).value_or(false), true);
    (*gateway)->Stop(absl::Seconds(5));
    EXPECT_FALSE(IsServing(address, grpc::InsecureChannelCredentials()).ok());
    (*gateway)->Stop(absl::Seconds(5));
  }
}

TEST_F(GatewayTest, UsesTheCryptoEngineThatItIsTold) {
  const std::pair<EngineRequest, EngineKind> kRequests[] = {
      {EngineRequest::kAuto, UsableEngines(DetectCpuFeatures()).front()},
      {EngineRequest::kBoringSsl, EngineKind::kBoringSsl},
      {EngineRequest::kIpsecMb, EngineKind::kIpsecMb}};
  for (const auto& [request, kind] : kRequests) {
    Config config = SmallConfig();
    config.crypto_engine = request;
    const absl::StatusOr<std::unique_ptr<Gateway>> gateway = Gateway::Create(config);
    if (gateway.ok()) {
      EXPECT_EQ((*gateway)->crypto_engine(), kind);
    } else {
      // Only one that was asked for by name, and only where it does not run.
      EXPECT_EQ(request, EngineRequest::kIpsecMb);
      EXPECT_EQ(UsableEngines(DetectCpuFeatures()).size(), 1u);
      EXPECT_THAT(std::string(gateway.status().message()), HasSubstr("--crypto-engine"));
    }
  }
}

TEST_F(GatewayTest, AsksForCertificatesWithTls) {
  const TestIdentity ca = MakeTestCa();
  Config config = SmallConfig();
  config.tls = WriteTlsFiles(MakeTestCertificate(ca), ca);
  absl::StatusOr<std::unique_ptr<Gateway>> gateway = Gateway::Create(config);
  ASSERT_EQ(gateway.status(), absl::OkStatus());
  const TransportAddress address = (*gateway)->control_address();
  const TestIdentity client = MakeTestCertificate(ca);
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ca.certificate;
  options.pem_cert_chain = client.certificate;
  options.pem_private_key = client.private_key;
  EXPECT_EQ(IsServing(address, grpc::SslCredentials(options)).value_or(false), true);
  EXPECT_FALSE(IsServing(address, grpc::InsecureChannelCredentials()).ok());
}

TEST_F(GatewayTest, ABusyControlPortIsToldWithItsReason) {
  absl::StatusOr<std::unique_ptr<Gateway>> first = Gateway::Create(SmallConfig());
  ASSERT_TRUE(first.ok());
  Config config = SmallConfig();
  config.listen = (*first)->control_address();
  const absl::Status status = Gateway::Create(config).status();
  EXPECT_EQ(status.message(), "cannot listen for controllers at " + config.listen.ToString() +
                                  ": Address already in use; give another address with --listen");
}

TEST_F(GatewayTest, MediaAddressesOfOtherMachinesAreRefused) {
  Config config = SmallConfig();
  config.media.ipv4 = IpAddress::V4({192, 0, 2, 1});
  EXPECT_THAT(std::string(Gateway::Create(config).status().message()),
              HasSubstr("media cannot be received at 192.0.2.1: "));
}

TEST_F(GatewayTest, LimitsThatDoNotFitTheMachineAreRefused) {
  Config config = SmallConfig();
  config.limits.event_log = 1'000'000;
  config.limits.event_queue = 1'000'000;
  config.limits.tombstones = 1'000'000;
  config.limits.sessions = 1'000'000;
  config.limits.streams_per_leg = 1024;
  config.workers = 256;
  const absl::Status status = Gateway::Create(config).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the limits add up to"));
}

TEST_F(GatewayTest, BadCertificatesAreRefusedBeforeAnythingStarts) {
  Config config = SmallConfig();
  config.tls = TlsFiles{"/nowhere/server.crt", "/nowhere/server.key", "/nowhere/ca.crt"};
  EXPECT_THAT(std::string(Gateway::Create(config).status().message()),
              HasSubstr("cannot read the certificate /nowhere/server.crt"));
}

TEST_F(GatewayTest, ServesParticipantsOnAPortOfTheirOwnWhereItIsToldTo) {
  EXPECT_EQ(Gateway::Create(SmallConfig()).value()->signalling_address(), std::nullopt);
  const TestIdentity ca = MakeTestCa();
  Config config = SmallConfig();
  config.tls = WriteTlsFiles(MakeTestCertificate(ca), ca);
  config.signalling = SignallingConfig{
      {Loopback(IpFamily::kIpv4), 0}, config.tls->certificate, config.tls->private_key};
  absl::StatusOr<std::unique_ptr<Gateway>> gateway = Gateway::Create(config);
  ASSERT_EQ(gateway.status(), absl::OkStatus());
  ASSERT_TRUE((*gateway)->signalling_address().has_value());
  const TransportAddress address = *(*gateway)->signalling_address();
  EXPECT_NE(address.port, (*gateway)->control_address().port);
  grpc::SslCredentialsOptions nameless;
  nameless.pem_root_certs = ca.certificate;
  EXPECT_TRUE(IsServing(address, grpc::SslCredentials(nameless)).value_or(false))
      << "participants have no certificates";
  EXPECT_FALSE(IsServing((*gateway)->control_address(), grpc::SslCredentials(nameless)).ok());
  (*gateway)->Stop(absl::Seconds(5));
  EXPECT_FALSE(IsServing(address, grpc::SslCredentials(nameless)).ok());
}

TEST_F(GatewayTest, ABusySignallingPortIsToldWithItsReason) {
  absl::StatusOr<std::unique_ptr<Gateway>> first = Gateway::Create(SmallConfig());
  ASSERT_TRUE(first.ok());
  Config config = SmallConfig();
  config.signalling = SignallingConfig{(*first)->control_address(), "", ""};
  EXPECT_EQ(Gateway::Create(config).status().message(),
            "cannot listen for participants at " + config.signalling->listen.ToString() +
                ": Address already in use; give another address with --signalling-listen");
}

TEST_F(GatewayTest, AnOpenTokenKeyFileIsRefusedBeforeAnythingServes) {
  Config config = SmallConfig();
  config.token_key_file = ::testing::TempDir() + "/token.key";
  std::ofstream(config.token_key_file) << std::string(64, 'a');
  std::filesystem::permissions(config.token_key_file, std::filesystem::perms(0644));
  EXPECT_THAT(std::string(Gateway::Create(config).status().message()), HasSubstr("chmod 600"));
  std::filesystem::permissions(config.token_key_file, std::filesystem::perms(0600));
  EXPECT_EQ(Gateway::Create(config).status(), absl::OkStatus());
}

TEST_F(GatewayTest, AGatewayLeavesNoDescriptorBehind) {
  // gRPC keeps some for the whole process.
  { ASSERT_TRUE(Gateway::Create(SmallConfig()).ok()); }
  const size_t before = CountOpenDescriptors();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Gateway::Create(SmallConfig()).ok());
  }
  EXPECT_EQ(CountOpenDescriptors(), before);
}

}  // namespace
}  // namespace sluice

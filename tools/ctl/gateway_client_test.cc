#include "tools/ctl/gateway_client.h"

#include <fstream>
#include <sstream>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/ctl/pki/pki_folder.h"
#include "tools/ctl/testing/fake_gateway.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

std::string Read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A folder with a fresh set of certificates.
std::string NewPki(const std::string& name) {
  const std::string folder = testing::TempDir() + "/" + name;
  EXPECT_TRUE(
      InitPkiFolder({.folder = folder, .hosts = {}, .validity = {absl::Now(), 1}, .force = true})
          .ok());
  return folder;
}

// As the gateway does it: no client without a certificate of our authority.
std::shared_ptr<grpc::ServerCredentials> MutualTls(const std::string& folder) {
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = Read(folder + "/ca.crt");
  options.pem_key_cert_pairs.push_back(
      {Read(folder + "/server.key"), Read(folder + "/server.crt")});
  return grpc::SslServerCredentials(options);
}

grpc::Status AskNode(const ConnectionOptions& options) {
  const auto client = GatewayClient::Create(options, absl::Now());
  EXPECT_TRUE(client.ok()) << client.status();
  gateway::v1::GetNodeResponse response;
  return (*client)->Call(&GatewayClient::Stub::GetNode, gateway::v1::GetNodeRequest(), response);
}

TEST(GatewayClientTest, CertificatesOfPkiInitLetClientAndServerIn) {
  const std::string folder = NewPki("pki");
  FakeGateway gateway(MutualTls(folder));
  const grpc::Status status = AskNode({.address = gateway.address(), .tls_dir = folder});
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST(GatewayClientTest, OthersDoNot) {
  FakeGateway gateway(MutualTls(NewPki("pki")));
  EXPECT_EQ(AskNode({.address = gateway.address(), .tls_dir = NewPki("other")}).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(AskNode({.address = gateway.address(), .tls_dir = "", .insecure = true}).error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

TEST(GatewayClientTest, InsecureIsForThisMachineOnly) {
  FakeGateway gateway;
  EXPECT_TRUE(AskNode({.address = gateway.address(), .tls_dir = "", .insecure = true}).ok());
  const auto far = GatewayClient::Create(
      {.address = "192.0.2.1:7443", .tls_dir = "", .insecure = true}, absl::Now());
  EXPECT_THAT(std::string(far.status().message()), HasSubstr("--insecure"));
}

TEST(GatewayClientTest, SaysWhatIsWrongWithTheOptions) {
  const auto no_port = GatewayClient::Create({.address = "gateway", .tls_dir = ""}, absl::Now());
  EXPECT_THAT(std::string(no_port.status().message()), HasSubstr("--gateway"));
  const auto no_pki = GatewayClient::Create(
      {.address = "127.0.0.1:7443", .tls_dir = testing::TempDir() + "/none"}, absl::Now());
  EXPECT_THAT(std::string(no_pki.status().message()), HasSubstr("pki init"));
}

}  // namespace
}  // namespace sluice

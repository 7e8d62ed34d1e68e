// Who may control the gateway: whoever has a certificate of its authority, and nobody else.

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "src/proto/grpc/health/v1/health.grpc.pb.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/scratch_folder.h"
#include "tests/e2e/test_authority.h"

namespace sluice {
namespace {

using Stub = ControlClient::Stub;

class MtlsTest : public GatewayFixture {
 protected:
  void SetUp() override {
    const absl::Status made = MakeCertificates(certificates_.path());
    ASSERT_TRUE(made.ok()) << made;
    options().tls_dir = certificates_.path();
    GatewayFixture::SetUp();
  }

  // How the gateway answers somebody with these credentials.
  grpc::Status Try(std::shared_ptr<grpc::ChannelCredentials> credentials) {
    ControlClient stranger(OpenChannel(gateway().address(), std::move(credentials)));
    pb::CreateSessionRequest request;
    request.set_session_id("strangers");
    pb::CreateSessionResponse response;
    return stranger.Call(&Stub::CreateSession, request, &response);
  }

  void ExpectRefused(std::shared_ptr<grpc::ChannelCredentials> credentials) {
    const grpc::Status status = Try(std::move(credentials));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE) << status.error_message();
    // And those who may are served as before.
    pb::ListSessionsResponse sessions;
    EXPECT_TRUE(control().Call(&Stub::ListSessions, pb::ListSessionsRequest(), &sessions).ok());
    EXPECT_EQ(sessions.sessions_size(), 0);
  }

  // Trusts the gateway's certificate and shows `own`, if it is not empty.
  std::shared_ptr<grpc::ChannelCredentials> Showing(const Credentials& own) {
    return grpc::SslCredentials({.pem_root_certs = ReadFileOrEmpty(certificates_.File("ca.crt")),
                                 .pem_private_key = own.private_key,
                                 .pem_cert_chain = own.certificate});
  }

  ScratchFolder certificates_;
};

TEST_F(MtlsTest, AClientOfTheAuthorityIsServed) {
  const grpc::Status status = Try(ClientCredentials(certificates_.path()));
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(MtlsTest, AClientWithoutCertificateIsRefused) { ExpectRefused(Showing({})); }

TEST_F(MtlsTest, AClientOfAnotherAuthorityIsRefused) {
  ExpectRefused(Showing(TestAuthority().Issue()));
}

TEST_F(MtlsTest, AClientOfAnotherRunOfPkiInitIsRefused) {
  // Same names everywhere, another key.
  const ScratchFolder folder;
  const absl::Status made = MakeCertificates(folder.path());
  ASSERT_TRUE(made.ok()) << made;
  ExpectRefused(Showing(
      {ReadFileOrEmpty(folder.File("client.crt")), ReadFileOrEmpty(folder.File("client.key"))}));
}

TEST_F(MtlsTest, AClientWithoutTlsIsRefused) { ExpectRefused(grpc::InsecureChannelCredentials()); }

TEST_F(MtlsTest, TheGatewayProvesItselfToItsClients) {
  // A client that trusts somebody else does not talk to it.
  grpc::SslCredentialsOptions other;
  other.pem_root_certs = TestAuthority().certificate();
  EXPECT_EQ(Try(grpc::SslCredentials(other)).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(MtlsTest, HealthSaysServing) {
  const std::unique_ptr<grpc::health::v1::Health::Stub> health =
      grpc::health::v1::Health::NewStub(gateway().channel());
  for (const char* service : {"", "sluice.gateway.v1.GatewayService"}) {
    grpc::ClientContext context;
    context.set_deadline(Deadline::Generous().ForGrpc());
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    grpc::health::v1::HealthCheckResponse response;
    const grpc::Status status = health->Check(&context, request, &response);
    EXPECT_TRUE(status.ok()) << "service \"" << service << "\": " << status.error_message();
    EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
  }
}

// The gateway trusts the authority whose client's certificate has run out.
TEST(MtlsExpiryTest, AnExpiredClientCertificateIsRefused) {
  TestAuthority authority;
  const Credentials server = authority.Issue();
  const ScratchFolder folder;
  folder.Write("ca.crt", authority.certificate());
  folder.Write("server.crt", server.certificate);
  folder.Write("server.key", server.private_key);
  const absl::StatusOr<std::unique_ptr<GatewayProcess>> gateway =
      GatewayProcess::Start({.tls_dir = folder.path()});
  ASSERT_TRUE(gateway.ok()) << gateway.status();
  const auto try_with = [&](const Credentials& own) {
    ControlClient client(OpenChannel(
        (*gateway)->address(), grpc::SslCredentials({.pem_root_certs = authority.certificate(),
                                                     .pem_private_key = own.private_key,
                                                     .pem_cert_chain = own.certificate})));
    pb::GetNodeResponse node;
    return client.Call(&Stub::GetNode, pb::GetNodeRequest(), &node);
  };
  EXPECT_TRUE(try_with(authority.Issue()).ok());
  EXPECT_EQ(try_with(authority.Issue({.begin = -7200, .end = -3600})).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(try_with(authority.Issue({.begin = 3600, .end = 7200})).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ((*gateway)->Stop(), 0) << (*gateway)->Log();
}

}  // namespace
}  // namespace sluice

#include "gateway/control/control_server.h"

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gateway/control/health.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/control/testing/test_certificates.h"
#include "gateway/control/tls_credentials.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.grpc.pb.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "src/proto/grpc/health/v1/health.grpc.pb.h"
#include "src/proto/grpc/health/v1/health.pb.h"
#include "src/proto/grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "src/proto/grpc/reflection/v1alpha/reflection.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
using ::testing::Contains;
using Code = grpc::StatusCode;

// For ever, for a call on loopback.
std::chrono::system_clock::time_point Deadline() {
  return absl::ToChronoTime(absl::Now() + absl::Seconds(30));
}

class ControlServerTest : public ::testing::Test {
 protected:
  void Start(IpFamily family = IpFamily::kIpv4, std::optional<TlsIdentity> tls = std::nullopt,
             size_t threads = 8) {
    ControlServerOptions options;
    options.listen = {Loopback(family), 0};
    options.tls = std::move(tls);
    options.threads = threads;
    absl::StatusOr<std::unique_ptr<ControlServer>> server =
        ControlServer::Start(options, harness_.service());
    ASSERT_EQ(server.status(), absl::OkStatus());
    server_ = *std::move(server);
  }

  std::shared_ptr<grpc::Channel> Connect(const std::shared_ptr<grpc::ChannelCredentials>&
                                             credentials = grpc::InsecureChannelCredentials()) {
    grpc::ChannelArguments arguments;
    // A connection of its own for each test and channel.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(server_->address().ToString(), credentials, arguments);
  }

  grpc::Status Create(const std::shared_ptr<grpc::Channel>& channel, const std::string& id) {
    grpc::ClientContext context;
    context.set_deadline(Deadline());
    pb::CreateSessionRequest request;
    request.set_session_id(id);
    pb::CreateSessionResponse response;
    return pb::GatewayService::NewStub(channel)->CreateSession(&context, request, &response);
  }

  ControlHarness harness_;
  std::unique_ptr<ControlServer> server_;
};

TEST_F(ControlServerTest, ServesBothFamiliesOnAPortOfTheKernelsChoice) {
  for (const IpFamily family : {IpFamily::kIpv4, IpFamily::kIpv6}) {
    Start(family);
    EXPECT_NE(server_->address().port, 0);
    EXPECT_EQ(server_->address().ip, Loopback(family));
    const auto channel = Connect();
    EXPECT_TRUE(Create(channel, family == IpFamily::kIpv4 ? "four" : "six").ok());
  }
}

TEST_F(ControlServerTest, DetailsOfErrorsArriveAtTheController) {
  Start();
  const auto channel = Connect();
  EXPECT_THAT(BadFields(Create(channel, "not an id")), Contains("session_id"));
}

TEST_F(ControlServerTest, ATakenPortIsNotSharedWithAnotherGateway) {
  Start();
  SetGrpcLogQuiet(true);
  ControlServerOptions options;
  options.listen = server_->address();
  EXPECT_EQ(ControlServer::Start(options, harness_.service()).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(ControlServerTest, ControllersAreNeverLetInWithoutCertificatesWhereThereIsTls) {
  const TestIdentity server = MakeTestCertificate(MakeTestCa());
  ControlServerOptions options;
  options.listen = {Loopback(IpFamily::kIpv4), 0};
  options.tls = TlsIdentity{server.certificate, server.private_key, ""};
  EXPECT_EQ(ControlServer::Start(options, harness_.service()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ControlServerTest, OnlyCertificatesOfTheAuthorityAreLetIn) {
  SetGrpcLogQuiet(true);
  const TestIdentity ca = MakeTestCa();
  const TestIdentity stranger_ca = MakeTestCa();
  const TestIdentity server = MakeTestCertificate(ca);
  Start(IpFamily::kIpv4, TlsIdentity{server.certificate, server.private_key, ca.certificate});
  const auto connect = [&](const std::string& roots, const std::optional<TestIdentity>& client) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = roots;
    if (client.has_value()) {
      options.pem_cert_chain = client->certificate;
      options.pem_private_key = client->private_key;
    }
    return Connect(grpc::SslCredentials(options));
  };
  EXPECT_TRUE(Create(connect(ca.certificate, MakeTestCertificate(ca)), "friend").ok());
  EXPECT_EQ(Create(connect(ca.certificate, std::nullopt), "nameless").error_code(),
            Code::UNAVAILABLE);
  EXPECT_EQ(
      Create(connect(ca.certificate, MakeTestCertificate(stranger_ca)), "stranger").error_code(),
      Code::UNAVAILABLE);
  EXPECT_EQ(
      Create(connect(stranger_ca.certificate, MakeTestCertificate(ca)), "misled").error_code(),
      Code::UNAVAILABLE);
  EXPECT_EQ(Create(Connect(), "plain").error_code(), Code::UNAVAILABLE);
  EXPECT_EQ(harness_.room().directory().usage().sessions, 1u) << "only the friend got through";
}

TEST_F(ControlServerTest, TellsItsHealth) {
  Start();
  Health health(
      server_->health(), [] { return std::vector<uint64_t>{}; }, HealthTimes{});
  const auto channel = Connect();
  const auto stub = grpc::health::v1::Health::NewStub(channel);
  const auto check = [&](const std::string& service) {
    grpc::ClientContext context;
    context.set_deadline(Deadline());
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    grpc::health::v1::HealthCheckResponse response;
    EXPECT_TRUE(stub->Check(&context, request, &response).ok()) << service;
    return response.status();
  };
  using Response = grpc::health::v1::HealthCheckResponse;
  for (const char* service : {"", kReadinessService, kLivenessService}) {
    EXPECT_EQ(check(service), Response::SERVING) << service;
  }
  health.SetStopping();
  EXPECT_EQ(check(""), Response::NOT_SERVING);
  EXPECT_EQ(check(kReadinessService), Response::NOT_SERVING);
  EXPECT_EQ(check(kLivenessService), Response::SERVING);
}

TEST_F(ControlServerTest, TellsItsServicesByReflection) {
  Start();
  const auto channel = Connect();
  const auto stub = grpc::reflection::v1alpha::ServerReflection::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(Deadline());
  const auto stream = stub->ServerReflectionInfo(&context);
  grpc::reflection::v1alpha::ServerReflectionRequest request;
  request.set_list_services("");
  ASSERT_TRUE(stream->Write(request));
  grpc::reflection::v1alpha::ServerReflectionResponse response;
  ASSERT_TRUE(stream->Read(&response));
  std::vector<std::string> names;
  for (const auto& service : response.list_services_response().service()) {
    names.push_back(service.name());
  }
  EXPECT_THAT(names, Contains("sluice.gateway.v1.GatewayService"));
  request.set_file_containing_symbol("sluice.gateway.v1.GatewayService");
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_GT(response.file_descriptor_response().file_descriptor_proto_size(), 0);
  context.TryCancel();
}

TEST_F(ControlServerTest, ARequestThatIsTooLargeIsRefused) {
  Start();
  const auto channel = Connect();
  const grpc::Status status = Create(channel, std::string((1 << 20) + 1, 'x'));
  EXPECT_EQ(status.error_code(), Code::RESOURCE_EXHAUSTED);
}

// One event stream of a controller.
class Watcher {
 public:
  explicit Watcher(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(pb::GatewayService::NewStub(channel)) {
    context_.set_deadline(Deadline());
    reader_ = stub_->WatchEvents(&context_, pb::WatchEventsRequest());
  }
  bool Read() { return reader_->Read(&response_); }
  const pb::WatchEventsResponse& response() const { return response_; }
  grpc::Status Finish() { return reader_->Finish(); }
  void Cancel() { context_.TryCancel(); }

 private:
  std::unique_ptr<pb::GatewayService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<pb::WatchEventsResponse>> reader_;
  pb::WatchEventsResponse response_;
};

TEST_F(ControlServerTest, AWatcherSeesWhatHappens) {
  Start();
  const auto channel = Connect();
  Watcher watcher(channel);
  ASSERT_TRUE(watcher.Read());
  EXPECT_EQ(watcher.response().instance_id(), "test-instance");
  ASSERT_TRUE(Create(channel, "call").ok());
  ASSERT_TRUE(watcher.Read());
  EXPECT_EQ(watcher.response().event().session_id(), "call");
  EXPECT_TRUE(watcher.response().event().has_session_created());
  watcher.Cancel();
  EXPECT_EQ(watcher.Finish().error_code(), Code::CANCELLED);
}

TEST_F(ControlServerTest, WatchersBeyondTheLimitAreRefusedAndPlacesComeBack) {
  Start();
  const auto channel = Connect();
  Watcher first(channel);
  Watcher second(channel);
  ASSERT_TRUE(first.Read());
  ASSERT_TRUE(second.Read());
  Watcher third(channel);
  EXPECT_FALSE(third.Read());
  EXPECT_EQ(ReachedLimit(third.Finish()), "watchers");
  first.Cancel();
  // The server notices within its poll; until then the place is taken.
  while (true) {
    Watcher next(channel);
    if (next.Read()) {
      next.Cancel();
      break;
    }
    EXPECT_EQ(ReachedLimit(next.Finish()), "watchers");
  }
  second.Cancel();
}

TEST_F(ControlServerTest, WatchersDoNotTakeTheThreadsOfCalls) {
  // Two for the watchers that the harness allows, one for everything else.
  Start(IpFamily::kIpv4, std::nullopt, 3);
  const auto channel = Connect();
  Watcher first(channel);
  Watcher second(channel);
  ASSERT_TRUE(first.Read());
  ASSERT_TRUE(second.Read());
  EXPECT_TRUE(Create(channel, "call").ok());
  first.Cancel();
  second.Cancel();
}

TEST_F(ControlServerTest, WatchersAreToldOfTheStop) {
  Start();
  const auto channel = Connect();
  Watcher watcher(channel);
  ASSERT_TRUE(watcher.Read());
  harness_.room().log().Close();
  server_->Shutdown(absl::Seconds(30));
  EXPECT_FALSE(watcher.Read());
  const grpc::Status status = watcher.Finish();
  EXPECT_EQ(status.error_code(), Code::UNAVAILABLE);
  EXPECT_EQ(status.error_message(), "the gateway is stopping");
}

TEST_F(ControlServerTest, FiguresOfASessionAreStreamedUntilItEnds) {
  Start();
  const auto channel = Connect();
  ASSERT_TRUE(Create(channel, "call").ok());
  const auto stub = pb::GatewayService::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(Deadline());
  pb::WatchStatsRequest request;
  request.set_session_id("call");
  request.mutable_interval()->set_seconds(3600);
  const auto reader = stub->WatchStats(&context, request);
  pb::WatchStatsResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.stats().session_id(), "call");
  EXPECT_NE(response.stats().state(), pb::SESSION_STATE_ENDED);
  EXPECT_TRUE(harness_.Call(&GatewayService::DeleteSession, "session_id: 'call'").ok());
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.stats().state(), pb::SESSION_STATE_ENDED);
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(ControlServerTest, ShutdownDoesNotWaitForWhoDoesNotLeave) {
  Start();
  const auto channel = Connect();
  Watcher watcher(channel);
  ASSERT_TRUE(watcher.Read());
  server_->Shutdown(absl::ZeroDuration());
  server_->Shutdown(absl::ZeroDuration());
  EXPECT_FALSE(watcher.Read());
  EXPECT_FALSE(watcher.Finish().ok());
}

}  // namespace
}  // namespace sluice

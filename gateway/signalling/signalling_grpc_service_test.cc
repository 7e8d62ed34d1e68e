#include "gateway/signalling/signalling_grpc_service.h"

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gateway/control/control_server.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/control/testing/test_certificates.h"
#include "gateway/control/tls_credentials.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.grpc.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
namespace sig = ::sluice::signalling::v1;
using ::testing::ElementsAre;
using Stub = sig::SignallingService::Stub;
using Service = GatewayService;
using Code = grpc::StatusCode;

class SignallingGrpcServiceTest : public ::testing::Test {
 protected:
  SignallingGrpcServiceTest() {
    SetGrpcLogQuiet(true);
    EXPECT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'call'").ok());
    token_ = Token("alice");
  }

  void Start(std::optional<TlsIdentity> tls = std::nullopt) {
    ControlServerOptions options;
    options.listen = {Loopback(IpFamily::kIpv4), 0};
    options.audience = ServerAudience::kParticipants;
    options.tls = std::move(tls);
    options.threads = 8;
    absl::StatusOr<std::unique_ptr<ControlServer>> server = ControlServer::Start(options, service_);
    ASSERT_EQ(server.status(), absl::OkStatus());
    server_ = *std::move(server);
    Connect(grpc::InsecureChannelCredentials());
  }
  void Connect(const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    channel_ = grpc::CreateCustomChannel(server_->address().ToString(), credentials, arguments);
    stub_ = sig::SignallingService::NewStub(channel_);
  }

  std::string Token(const std::string& leg) {
    pb::CreateParticipantTokenResponse created;
    EXPECT_TRUE(harness_
                    .Call(&Service::CreateParticipantToken,
                          absl::StrCat("session_id: 'call' leg_id: '", leg, "'"), created)
                    .ok());
    return created.token();
  }
  // For ever, for a call on loopback.
  static void SetDeadline(grpc::ClientContext& context) {
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(30)));
  }
  // With these authorization headers.
  grpc::Status Ping(const std::vector<std::string>& headers, const std::string& payload = "x") {
    grpc::ClientContext context;
    SetDeadline(context);
    for (const std::string& header : headers) {
      context.AddMetadata("authorization", header);
    }
    sig::PingRequest request;
    request.set_payload(payload);
    sig::PingResponse response;
    const grpc::Status status = stub_->Ping(&context, request, &response);
    EXPECT_EQ(response.payload(), status.ok() ? payload : "");
    return status;
  }
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    SetDeadline(context);
    context.AddMetadata("authorization", "Bearer " + token_);
    return (stub_.get()->*method)(&context, request, &response);
  }

  ControlHarness harness_;
  ParticipantCalls calls_{harness_.service(), harness_.room(), harness_.tokens()};
  SignallingGrpcService service_{calls_};
  std::unique_ptr<ControlServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Stub> stub_;
  std::string token_;
};

TEST_F(SignallingGrpcServiceTest, AParticipantJoinsUpdatesWatchesAndLeaves) {
  Start();
  sig::JoinResponse joined;
  ASSERT_TRUE(Call(&Stub::Join, sig::JoinRequest(), joined).ok());
  EXPECT_EQ(joined.leg().leg_id(), "alice");
  EXPECT_FALSE(joined.local_key().master_key_and_salt().empty());

  sig::UpdateLegRequest update;
  update.mutable_config()->set_hold(true);
  update.mutable_update_mask()->add_paths("hold");
  sig::UpdateLegResponse updated;
  ASSERT_TRUE(Call(&Stub::UpdateLeg, update, updated).ok());
  EXPECT_TRUE(updated.leg().hold());

  grpc::ClientContext context;
  SetDeadline(context);
  context.AddMetadata("authorization", "Bearer " + token_);
  const auto stream = stub_->WatchEvents(&context, sig::WatchEventsRequest());
  sig::WatchEventsResponse event;
  ASSERT_TRUE(stream->Read(&event));
  EXPECT_EQ(event.instance_id(), "test-instance");

  sig::LeaveResponse left;
  ASSERT_TRUE(Call(&Stub::Leave, sig::LeaveRequest(), left).ok());
  EXPECT_EQ(left.final_stats().leg_id(), "alice");
  ASSERT_TRUE(stream->Read(&event));
  EXPECT_TRUE(event.event().has_leg_removed());
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
  ASSERT_TRUE(stream->Read(&event));
  EXPECT_TRUE(event.event().has_session_ended());
  EXPECT_FALSE(stream->Read(&event));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(SignallingGrpcServiceTest, TheTokenIsTheOneAuthorizationOfTheCall) {
  Start();
  EXPECT_TRUE(Ping({"Bearer " + token_}).ok());
  EXPECT_TRUE(Ping({"bearer " + token_}).ok());
  for (const std::vector<std::string>& headers : {std::vector<std::string>{},
                                                  {token_},
                                                  {"Basic " + token_},
                                                  {"Bearer "},
                                                  {"Bearer " + token_, "Bearer " + token_},
                                                  {"Bearer x"},
                                                  {"Bearer " + token_ + " "}}) {
    const grpc::Status status = Ping(headers);
    EXPECT_EQ(status.error_code(), Code::UNAUTHENTICATED);
  }
}

TEST_F(SignallingGrpcServiceTest, AStreamWithoutTokenIsRefusedAtOnce) {
  Start();
  grpc::ClientContext context;
  SetDeadline(context);
  const auto stream = stub_->WatchEvents(&context, sig::WatchEventsRequest());
  sig::WatchEventsResponse event;
  EXPECT_FALSE(stream->Read(&event));
  EXPECT_EQ(stream->Finish().error_message(), "token: missing");
}

TEST_F(SignallingGrpcServiceTest, DetailsOfErrorsArriveAtTheParticipant) {
  Start();
  sig::JoinRequest request;
  request.mutable_config()->set_kind(pb::LEG_KIND_RTP);
  sig::JoinResponse response;
  EXPECT_THAT(BadFields(Call(&Stub::Join, request, response)), ElementsAre("config.kind"));
}

TEST_F(SignallingGrpcServiceTest, TheControlApiIsNotServedToParticipants) {
  Start();
  grpc::ClientContext context;
  SetDeadline(context);
  pb::GetNodeResponse response;
  EXPECT_EQ(pb::GatewayService::NewStub(channel_)
                ->GetNode(&context, pb::GetNodeRequest(), &response)
                .error_code(),
            Code::UNIMPLEMENTED);
}

TEST_F(SignallingGrpcServiceTest, AnOversizedRequestIsRefused) {
  Start();
  EXPECT_EQ(Ping({"Bearer " + token_}, std::string(1 << 17, 'x')).error_code(),
            Code::RESOURCE_EXHAUSTED);
}

TEST_F(SignallingGrpcServiceTest, ParticipantsNeedNoCertificateButTheGatewayHasOne) {
  const TestIdentity ca = MakeTestCa();
  const TestIdentity server = MakeTestCertificate(ca);
  Start(TlsIdentity{server.certificate, server.private_key, ""});
  grpc::SslCredentialsOptions trusting;
  trusting.pem_root_certs = ca.certificate;
  Connect(grpc::SslCredentials(trusting));
  EXPECT_TRUE(Ping({"Bearer " + token_}).ok());
  grpc::SslCredentialsOptions misled;
  misled.pem_root_certs = MakeTestCa().certificate;
  Connect(grpc::SslCredentials(misled));
  EXPECT_EQ(Ping({"Bearer " + token_}).error_code(), Code::UNAVAILABLE);
  Connect(grpc::InsecureChannelCredentials());
  EXPECT_EQ(Ping({"Bearer " + token_}).error_code(), Code::UNAVAILABLE);
}

}  // namespace
}  // namespace sluice

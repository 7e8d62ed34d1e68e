#include "tools/ctl/rpc_error.h"

#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

template <typename Detail>
grpc::Status WithDetail(grpc::StatusCode code, const std::string& sentence, const Detail& detail) {
  google::rpc::Status details;
  details.add_details()->PackFrom(detail);
  return grpc::Status(code, sentence, details.SerializeAsString());
}

TEST(RpcErrorTest, NamesEveryFieldAndItsFlag) {
  google::rpc::BadRequest request;
  auto* violation = request.add_field_violations();
  violation->set_field("config.remote.rtp.ip");
  violation->set_description("'x' is not an IP address");
  violation = request.add_field_violations();
  violation->set_field("config.payload_types[1].number");
  violation->set_description("130 is above 127");
  EXPECT_EQ(
      RenderRpcError(WithDetail(grpc::StatusCode::INVALID_ARGUMENT, "2 fields are wrong", request)),
      "INVALID_ARGUMENT: 2 fields are wrong; config.remote.rtp.ip: 'x' is not an IP address "
      "(--remote ADDRESS:PORT); config.payload_types[1].number: 130 is above 127 "
      "(--payload-type NUMBER:NAME/CLOCK[:FEEDBACK,...])");
}

TEST(RpcErrorTest, DoesNotSayTheSameTwice) {
  google::rpc::BadRequest request;
  auto* violation = request.add_field_violations();
  violation->set_field("config.remote_key.master_key_and_salt");
  violation->set_description("has 29 bytes, the suite needs 30");
  EXPECT_EQ(
      RenderRpcError(WithDetail(
          grpc::StatusCode::INVALID_ARGUMENT,
          "config.remote_key.master_key_and_salt: has 29 bytes, the suite needs 30", request)),
      "INVALID_ARGUMENT: config.remote_key.master_key_and_salt: has 29 bytes, the suite needs "
      "30 (--remote-key SUITE:inline:BASE64)");
  EXPECT_EQ(RenderRpcError(WithDetail(grpc::StatusCode::INVALID_ARGUMENT,
                                      "has 29 bytes, the suite needs 30", request)),
            "INVALID_ARGUMENT: has 29 bytes, the suite needs 30; "
            "config.remote_key.master_key_and_salt (--remote-key SUITE:inline:BASE64)");
}

TEST(RpcErrorTest, NamesResourceLimitAndPrecondition) {
  google::rpc::ResourceInfo resource;
  resource.set_resource_type("session");
  resource.set_resource_name("call-1");
  EXPECT_EQ(RenderRpcError(WithDetail(grpc::StatusCode::NOT_FOUND, "session \"call-1\" is not here",
                                      resource)),
            "NOT_FOUND: session \"call-1\" is not here");
  EXPECT_EQ(RenderRpcError(WithDetail(grpc::StatusCode::NOT_FOUND, "no such session", resource)),
            "NOT_FOUND: no such session; call-1");

  google::rpc::QuotaFailure quota;
  quota.add_violations()->set_subject("media_ports");
  EXPECT_EQ(
      RenderRpcError(WithDetail(grpc::StatusCode::RESOURCE_EXHAUSTED, "all 100 are used", quota)),
      "RESOURCE_EXHAUSTED: all 100 are used; media_ports (limit media_ports)");

  google::rpc::PreconditionFailure precondition;
  auto* violation = precondition.add_violations();
  violation->set_type("TOMBSTONE");
  violation->set_subject("call-1");
  EXPECT_EQ(RenderRpcError(WithDetail(grpc::StatusCode::FAILED_PRECONDITION,
                                      "session \"call-1\" has ended", precondition)),
            "FAILED_PRECONDITION: session \"call-1\" has ended (TOMBSTONE)");
}

TEST(RpcErrorTest, SaysWhatToDoWhereTheGatewayCannot) {
  EXPECT_THAT(RenderRpcError(grpc::Status(grpc::StatusCode::UNAVAILABLE, "connection refused")),
              AllOf(StartsWith("UNAVAILABLE: connection refused; "), HasSubstr("--gateway")));
  EXPECT_THAT(RenderRpcError(grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "too late")),
              EndsWith("--timeout"));
}

TEST(RpcErrorTest, GarbageInTheDetailsIsNoObstacleAndStaysOneLine) {
  const grpc::Status status(grpc::StatusCode::INTERNAL, "line one\nline two", "\xff\xff garbage");
  EXPECT_EQ(RenderRpcError(status), "INTERNAL: line one?line two");
  EXPECT_EQ(StatusCodeName(static_cast<grpc::StatusCode>(99)), "CODE_99");
  EXPECT_EQ(StatusCodeName(grpc::StatusCode::UNAUTHENTICATED), "UNAUTHENTICATED");
}

TEST(RpcErrorTest, APathIsMatchedByWholeNames) {
  EXPECT_EQ(FlagOfField("config.remote"), "--remote ADDRESS:PORT");
  EXPECT_EQ(FlagOfField("config.remote_key.suite"), "--remote-key SUITE:inline:BASE64");
  EXPECT_EQ(FlagOfField("config.remote_key_of_tomorrow"), "");
  EXPECT_EQ(FlagOfField("config.hold"), "--hold or --resume");
  EXPECT_EQ(FlagOfField("config.hold_timeout"), "--hold-timeout 10m");
}

// Every field of the configurations that a user can get wrong has a flag, also those added later.
TEST(RpcErrorTest, EveryFieldOfTheConfigurationsHasAFlag) {
  for (const auto* descriptor :
       {gateway::v1::LegConfig::descriptor(), gateway::v1::SessionConfig::descriptor(),
        gateway::v1::RemoteTransport::descriptor()}) {
    const std::string prefix =
        descriptor == gateway::v1::RemoteTransport::descriptor() ? "config.remote." : "config.";
    for (int i = 0; i < descriptor->field_count(); ++i) {
      EXPECT_THAT(std::string(FlagOfField(prefix + descriptor->field(i)->name())), Not(""));
    }
  }
}

}  // namespace
}  // namespace sluice

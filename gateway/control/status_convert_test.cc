#include "gateway/control/status_convert.h"

#include <grpcpp/support/status.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/errors/error_detail.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

TEST(StatusConvertTest, OkIsOk) { EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok()); }

TEST(StatusConvertTest, EveryCanonicalCodeKeepsItsNumber) {
  for (int code = 1; code <= 16; ++code) {
    const grpc::Status status =
        ToGrpcStatus(absl::Status(static_cast<absl::StatusCode>(code), "why"));
    EXPECT_EQ(static_cast<int>(status.error_code()), code);
    EXPECT_EQ(status.error_message(), "why");
    EXPECT_TRUE(status.error_details().empty());
  }
}

TEST(StatusConvertTest, AFieldBecomesBadRequest) {
  const grpc::Status status = ToGrpcStatus(InvalidField("config.remote.rtp.ip", "is no address"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(BadFields(status), ElementsAre("config.remote.rtp.ip"));
  EXPECT_EQ(FindDetail<google::rpc::BadRequest>(status)->field_violations(0).description(),
            "is no address");
}

TEST(StatusConvertTest, AResourceBecomesResourceInfo) {
  const grpc::Status missing = ToGrpcStatus(ResourceNotFound("session", "call-1"));
  EXPECT_EQ(missing.error_code(), grpc::StatusCode::NOT_FOUND);
  auto info = FindDetail<google::rpc::ResourceInfo>(missing);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->resource_type(), "session");
  EXPECT_EQ(info->resource_name(), "call-1");

  const grpc::Status there = ToGrpcStatus(ResourceExists("leg", "alice", "is there"));
  EXPECT_EQ(there.error_code(), grpc::StatusCode::ALREADY_EXISTS);
  info = FindDetail<google::rpc::ResourceInfo>(there);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->resource_type(), "leg");
  EXPECT_EQ(info->resource_name(), "alice");
}

TEST(StatusConvertTest, ALimitBecomesQuotaFailure) {
  const grpc::Status status = ToGrpcStatus(LimitReached("sessions", 2500, "no more sessions"));
  EXPECT_EQ(ReachedLimit(status), "sessions");
  EXPECT_NE(status.error_message().find("2500"), std::string::npos);
}

TEST(StatusConvertTest, APreconditionBecomesPreconditionFailure) {
  const grpc::Status status = ToGrpcStatus(PreconditionFailed("TOMBSTONE", "call-1", "has ended"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  const auto failure = FindDetail<google::rpc::PreconditionFailure>(status);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->violations(0).type(), "TOMBSTONE");
  EXPECT_EQ(failure->violations(0).subject(), "call-1");
  EXPECT_EQ(failure->violations(0).description(), "has ended");
}

TEST(StatusConvertTest, PayloadsOfOthersStayInside) {
  absl::Status status = absl::InternalError("broken");
  status.SetPayload("type.sluice/Other", absl::Cord("secret"));
  EXPECT_TRUE(ToGrpcStatus(status).error_details().empty());
}

TEST(StatusConvertTest, LongMessagesAreCutAndLongDetailsLeftOut) {
  absl::Status status = absl::InternalError(std::string(5000, 'm'));
  google::rpc::DebugInfo info;
  info.set_detail(std::string(5000, 'd'));
  AttachDetail(status, info);
  const grpc::Status converted = ToGrpcStatus(status);
  EXPECT_EQ(converted.error_message().size(), kMaxErrorMessageBytes);
  EXPECT_EQ(FindDetail<google::rpc::DebugInfo>(converted), std::nullopt);
}

}  // namespace
}  // namespace sluice

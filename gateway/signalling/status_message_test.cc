#include "gateway/signalling/status_message.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "gateway/control/status_convert.h"
#include "gateway/errors/error_detail.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr size_t kPlenty = 4096;

TEST(StatusMessageTest, SuccessIsEmpty) {
  EXPECT_EQ(ToStatusMessage(grpc::Status::OK, kPlenty).ByteSizeLong(), 0u);
}

TEST(StatusMessageTest, CodeMessageAndDetailsAreKept) {
  const google::rpc::Status message =
      ToStatusMessage(ToGrpcStatus(InvalidField("config.hold", "must not be")), kPlenty);
  EXPECT_EQ(message.code(), 3);
  EXPECT_NE(message.message().find("config.hold"), std::string::npos);
  ASSERT_EQ(message.details_size(), 1);
  google::rpc::BadRequest detail;
  ASSERT_TRUE(message.details(0).UnpackTo(&detail));
  EXPECT_EQ(detail.field_violations(0).field(), "config.hold");
}

TEST(StatusMessageTest, DetailsThatDoNotFitAreLeftOutWhole) {
  absl::Status status = absl::InvalidArgumentError("wrong");
  google::rpc::BadRequest fields;
  fields.add_field_violations()->set_field(std::string(600, 'f'));
  google::rpc::ResourceInfo resource;
  resource.set_resource_name(std::string(600, 'r'));
  AttachDetail(status, fields);
  AttachDetail(status, resource);
  const grpc::Status whole = ToGrpcStatus(status);
  ASSERT_EQ(ToStatusMessage(whole, kPlenty).details_size(), 2);
  const google::rpc::Status cut = ToStatusMessage(whole, 1000);
  EXPECT_EQ(cut.details_size(), 1);
  EXPECT_EQ(cut.message(), "wrong");
  EXPECT_LE(cut.ByteSizeLong(), 1000u);
  EXPECT_EQ(ToStatusMessage(whole, 100).details_size(), 0);
}

TEST(StatusMessageTest, AMessageThatDoesNotFitIsCut) {
  for (size_t size = 40; size < 400; ++size) {
    const google::rpc::Status message =
        ToStatusMessage(grpc::Status(grpc::StatusCode::INTERNAL, std::string(size, 'x')), 128);
    EXPECT_LE(message.ByteSizeLong(), 128u) << size;
    EXPECT_GE(message.message().size(), std::min<size_t>(size, 100)) << size;
  }
}

TEST(StatusMessageTest, TheMessageIsPrintable) {
  const google::rpc::Status message = ToStatusMessage(
      grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "a\nb\xc3\x28\x01 c"), kPlenty);
  EXPECT_EQ(message.message(), "a b?(? c");
}

TEST(StatusMessageTest, DetailsThatAreNoneAreLeftOut) {
  const google::rpc::Status message =
      ToStatusMessage(grpc::Status(grpc::StatusCode::NOT_FOUND, "gone", "\xff\xff"), kPlenty);
  EXPECT_EQ(message.code(), 5);
  EXPECT_EQ(message.message(), "gone");
  EXPECT_EQ(message.details_size(), 0);
}

}  // namespace
}  // namespace sluice

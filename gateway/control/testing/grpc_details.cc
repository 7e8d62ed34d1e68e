#include "gateway/control/testing/grpc_details.h"

#include "gtest/gtest.h"

namespace sluice {

google::rpc::Status DetailsOf(const grpc::Status& status) {
  google::rpc::Status details;
  if (!status.error_details().empty()) {
    EXPECT_TRUE(details.ParseFromString(status.error_details()));
    EXPECT_EQ(details.code(), static_cast<int>(status.error_code()));
    EXPECT_EQ(details.message(), status.error_message());
  }
  return details;
}

std::vector<std::string> BadFields(const grpc::Status& status) {
  std::vector<std::string> fields;
  if (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT) {
    const auto request = FindDetail<google::rpc::BadRequest>(status);
    EXPECT_TRUE(request.has_value()) << status.error_message();
    if (!request.has_value()) {
      return fields;
    }
    for (const auto& violation : request->field_violations()) {
      EXPECT_FALSE(violation.description().empty()) << violation.field();
      fields.push_back(violation.field());
    }
  }
  return fields;
}

std::string ReachedLimit(const grpc::Status& status) {
  if (status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) {
    return "";
  }
  const auto quota = FindDetail<google::rpc::QuotaFailure>(status);
  EXPECT_TRUE(quota.has_value() && quota->violations_size() == 1) << status.error_message();
  return quota.has_value() && quota->violations_size() == 1 ? quota->violations(0).subject() : "";
}

}  // namespace sluice

#include "tests/e2e/error_info.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"

namespace sluice {

ErrorInfo ErrorInfoOf(const grpc::Status& status) {
  ErrorInfo info;
  info.code = status.error_code();
  info.message = status.error_message();
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) {
    ADD_FAILURE() << "error details do not parse: " << status.error_message();
    return info;
  }
  for (const google::protobuf::Any& detail : details.details()) {
    google::rpc::BadRequest bad_request;
    google::rpc::ResourceInfo resource;
    google::rpc::QuotaFailure quota;
    google::rpc::PreconditionFailure precondition;
    if (detail.UnpackTo(&bad_request)) {
      for (const auto& violation : bad_request.field_violations()) {
        info.fields.push_back(violation.field());
      }
    } else if (detail.UnpackTo(&resource)) {
      info.resources.push_back(
          absl::StrCat(resource.resource_type(), "/", resource.resource_name()));
    } else if (detail.UnpackTo(&quota)) {
      for (const auto& violation : quota.violations()) {
        info.limits.push_back(violation.subject());
      }
    } else if (detail.UnpackTo(&precondition)) {
      for (const auto& violation : precondition.violations()) {
        info.preconditions.push_back(absl::StrCat(violation.type(), "/", violation.subject()));
      }
    } else {
      ADD_FAILURE() << "a detail of unknown type " << detail.type_url();
    }
  }
  return info;
}

std::ostream& operator<<(std::ostream& out, const ErrorInfo& info) {
  return out << "code " << info.code << ", \"" << info.message << "\", fields ["
             << absl::StrJoin(info.fields, ", ") << "], resources ["
             << absl::StrJoin(info.resources, ", ") << "], limits ["
             << absl::StrJoin(info.limits, ", ") << "], preconditions ["
             << absl::StrJoin(info.preconditions, ", ") << "]";
}

}  // namespace sluice

#include "gateway/control/status_convert.h"

#include <google/protobuf/any.pb.h>

#include <optional>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gateway/errors/error_detail.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace sluice {
namespace {

// Payloads below it are details in their wire form.
constexpr absl::string_view kTypePrefix = "type.googleapis.com/";

void AddDetail(const ErrorDetail& detail, google::rpc::Status& out) {
  switch (detail.kind) {
    case ErrorDetail::Kind::kField: {
      google::rpc::BadRequest request;
      google::rpc::BadRequest::FieldViolation& field = *request.add_field_violations();
      field.set_field(detail.subject);
      field.set_description(detail.description);
      out.add_details()->PackFrom(request);
      return;
    }
    case ErrorDetail::Kind::kResource: {
      google::rpc::ResourceInfo resource;
      resource.set_resource_type(detail.subject);
      resource.set_resource_name(detail.name);
      resource.set_description(detail.description);
      out.add_details()->PackFrom(resource);
      return;
    }
    case ErrorDetail::Kind::kLimit: {
      google::rpc::QuotaFailure quota;
      google::rpc::QuotaFailure::Violation& violation = *quota.add_violations();
      violation.set_subject(detail.subject);
      violation.set_description(detail.description);
      out.add_details()->PackFrom(quota);
      return;
    }
    case ErrorDetail::Kind::kPrecondition: {
      google::rpc::PreconditionFailure failure;
      google::rpc::PreconditionFailure::Violation& violation = *failure.add_violations();
      violation.set_type(detail.subject);
      violation.set_subject(detail.name);
      violation.set_description(detail.description);
      out.add_details()->PackFrom(failure);
      return;
    }
  }
}

}  // namespace

void AttachDetail(absl::Status& status, const google::protobuf::Message& detail) {
  status.SetPayload(absl::StrCat(kTypePrefix, detail.GetTypeName()),
                    absl::Cord(detail.SerializeAsString()));
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) {
    return grpc::Status::OK;
  }
  google::rpc::Status details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(std::string(status.message().substr(0, kMaxErrorMessageBytes)));
  const std::optional<ErrorDetail> detail = GetErrorDetail(status);
  if (detail.has_value()) {
    AddDetail(*detail, details);
  }
  status.ForEachPayload([&details](absl::string_view type, const absl::Cord& payload) {
    if (absl::StartsWith(type, kTypePrefix) && payload.size() <= kMaxErrorDetailBytes) {
      google::protobuf::Any& any = *details.add_details();
      any.set_type_url(std::string(type));
      any.set_value(std::string(payload));
    }
  });
  // The canonical codes of Abseil and gRPC are the same numbers.
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), details.message(),
                      details.details().empty() ? "" : details.SerializeAsString());
}

}  // namespace sluice

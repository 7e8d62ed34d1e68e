#ifndef GATEWAY_CONTROL_STATUS_CONVERT_H_
#define GATEWAY_CONTROL_STATUS_CONVERT_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <cstddef>

#include "absl/status/status.h"

namespace sluice {

// The one place where errors become gRPC. The code is the same canonical code; what the status
// carries (ErrorDetail, attached details) becomes google.rpc details: BadRequest, ResourceInfo,
// QuotaFailure, PreconditionFailure, as a google.rpc.Status in the binary error details.
grpc::Status ToGrpcStatus(const absl::Status& status);

// HTTP/2 peers refuse long trailers, gRPC's default bound is 8 KiB for all of them, and the message
// is in there twice and the details in base64: longer messages are cut, longer details left out.
inline constexpr size_t kMaxErrorMessageBytes = 1000;
inline constexpr size_t kMaxErrorDetailBytes = 3000;

// Lets a status carry a google.rpc detail of at most kMaxErrorDetailBytes.
void AttachDetail(absl::Status& status, const google::protobuf::Message& detail);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_STATUS_CONVERT_H_

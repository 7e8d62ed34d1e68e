#ifndef GATEWAY_CONTROL_TESTING_GRPC_DETAILS_H_
#define GATEWAY_CONTROL_TESTING_GRPC_DETAILS_H_

#include <grpcpp/support/status.h>

#include <optional>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace sluice {

// What a gRPC error carries, as a controller would read it. Fails the test when the binary details
// are no google.rpc.Status or contradict the status around them.
google::rpc::Status DetailsOf(const grpc::Status& status);

// The first detail of the type, if there is one.
template <typename Detail>
std::optional<Detail> FindDetail(const grpc::Status& status) {
  const google::rpc::Status details = DetailsOf(status);
  for (const auto& any : details.details()) {
    Detail detail;
    if (any.Is<Detail>() && any.UnpackTo(&detail)) {
      return detail;
    }
  }
  return std::nullopt;
}

// The field paths of an INVALID_ARGUMENT, in order; none for any other status.
std::vector<std::string> BadFields(const grpc::Status& status);

// The name of the limit that a RESOURCE_EXHAUSTED names; empty for any other status.
std::string ReachedLimit(const grpc::Status& status);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_TESTING_GRPC_DETAILS_H_

#ifndef GATEWAY_SIGNALLING_STATUS_MESSAGE_H_
#define GATEWAY_SIGNALLING_STATUS_MESSAGE_H_

#include <grpcpp/support/status.h>

#include <cstddef>

#include "google/rpc/status.pb.h"

namespace sluice {

// A status as transports that are not gRPC tell it, with its details, in at most `max_bytes` (64 at
// least) of protobuf: the last details are left out when they do not fit, each whole, and the
// message is cut last. The message is printable ASCII, whatever was in it.
google::rpc::Status ToStatusMessage(const grpc::Status& status, size_t max_bytes);

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_STATUS_MESSAGE_H_

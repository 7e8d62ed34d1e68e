#ifndef GATEWAY_SIGNALLING_HTTP_STATUS_H_
#define GATEWAY_SIGNALLING_HTTP_STATUS_H_

#include <grpcpp/support/status.h>

namespace sluice {

// The HTTP status that goes with a google.rpc.Code, as google/rpc/code.proto maps them.
int ToHttpStatus(grpc::StatusCode code);

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_HTTP_STATUS_H_

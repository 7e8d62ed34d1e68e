#ifndef TOOLS_CTL_RPC_ERROR_H_
#define TOOLS_CTL_RPC_ERROR_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/strings/string_view.h"

namespace sluice {

// An error of the control API as one line: the gRPC code, the gateway's sentence, every field that
// was refused with the flag that sets it, the resource or limit it is about, and what to do next.
//
//   INVALID_ARGUMENT: bad request; config.remote.rtp.ip: 'x' is no address (--remote ADDRESS:PORT)
std::string RenderRpcError(const grpc::Status& status);

// "INVALID_ARGUMENT".
std::string StatusCodeName(grpc::StatusCode code);

// Which flag sets the field at this path of a request, with the form of its value; empty when none
// does.
absl::string_view FlagOfField(absl::string_view path);

}  // namespace sluice

#endif  // TOOLS_CTL_RPC_ERROR_H_

#ifndef GATEWAY_SIGNALLING_JSON_CODEC_H_
#define GATEWAY_SIGNALLING_JSON_CODEC_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <string>

#include "gateway/signalling/call_transport.h"

namespace sluice {

// Messages as protobuf's JSON mapping has them: names in lowerCamelCase (read in snake_case, too),
// 64-bit numbers and bytes as strings, nothing that has its default value. A message of a stream is
// a line of its own, {"result":<message>}. What is not known is refused, with its path, such as
// "config.remote": a client that is misunderstood should hear of it.
const CallCodec& JsonCodec();

// A google.rpc.Status in JSON, with its details, of bounded length.
std::string StatusJson(const grpc::Status& status);

// The last line of a stream that did not end well: {"error":<status>}.
std::string ErrorLine(const grpc::Status& status);

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_JSON_CODEC_H_

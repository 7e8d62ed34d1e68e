#ifndef GATEWAY_SIGNALLING_SIGNALLING_METHODS_H_
#define GATEWAY_SIGNALLING_SIGNALLING_METHODS_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "gateway/signalling/participant_calls.h"
#include "gateway/tokens/participant_claims.h"

namespace sluice {

// What participants may call, of signalling.v1.SignallingService.
enum class SignallingMethod : uint8_t { kJoin, kUpdateLeg, kLeave, kWatchEvents, kPing };
inline constexpr size_t kSignallingMethods = 5;

// How a call is answered.
enum class MethodKind : uint8_t {
  // By one message, at once: nothing in it waits for anybody.
  kImmediate,
  // By one message, when a media worker did its part.
  kWaiting,
  // By any number of messages, for as long as the client wants.
  kStream,
};

// One method as transports that are not generated see it.
struct SignallingMethodRow {
  SignallingMethod method;
  MethodKind kind;
  // What sluice/1 calls it.
  absl::string_view name;
  // Where HTTP has it; always POST.
  absl::string_view path;
  // It may happen twice, so it may come as 0-RTT data (RFC 8446 section 8).
  bool early;
  std::unique_ptr<google::protobuf::Message> (*new_request)();
  // Of kImmediate and kWaiting; null for a stream. `request` is of the type that `new_request`
  // makes; `response` is made here.
  grpc::Status (*call)(ParticipantCalls& calls, const ParticipantClaims& claims,
                       const google::protobuf::Message& request,
                       std::unique_ptr<google::protobuf::Message>& response);
};

// The one table, in the order of SignallingMethod.
const std::array<SignallingMethodRow, kSignallingMethods>& SignallingMethodTable();
const SignallingMethodRow& RowOf(SignallingMethod method);

// Null when there is none.
const SignallingMethodRow* FindMethodByName(absl::string_view name);
const SignallingMethodRow* FindMethodByPath(absl::string_view path);

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_SIGNALLING_METHODS_H_

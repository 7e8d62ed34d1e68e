#ifndef QUIC_CLIENT_CLIENT_ERROR_H_
#define QUIC_CLIENT_CLIENT_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/time_delta.h"
#include "quic/connection/close_reason.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_status.h"

namespace sluice {

// Under which an error that a server gave as the answer to a call has the whole google.rpc.Status,
// details too (absl::Status::GetPayload).
inline constexpr absl::string_view kRpcStatusPayload = "type.googleapis.com/google.rpc.Status";

// What is known of a connection when it ends.
struct ConnectionStory {
  // As people know the server: "gateway.example:7445".
  std::string server;
  // The handshake was done.
  bool connected = false;
  // Something came from the server.
  bool heard = false;
  // How long the handshake may take.
  TimeDelta patience = TimeDelta::Zero();
};

// A sentence for people about why there is no connection (any more), which says what to do where
// somebody can do something. Unavailable, FailedPrecondition when the two do not trust each other
// or do not speak the same, Cancelled when we wanted it.
absl::Status ConnectionError(const CloseReason& reason, const ConnectionStory& story);

// ... about a call that ended without an answer although its connection did not end: of `method`,
// `timeout` is what it had. DeadlineExceeded, Unavailable when it may be made again,
// ResourceExhausted, or Internal when either side broke the rules.
absl::Status CallError(const RpcFailure& failure, absl::string_view method,
                       absl::string_view server, TimeDelta timeout);

// What the server answered: Ok, or its code, its sentence and kRpcStatusPayload. A code that is
// none of google.rpc.Code is Unknown.
absl::Status AnswerError(const RpcStatus& status);

}  // namespace sluice

#endif  // QUIC_CLIENT_CLIENT_ERROR_H_

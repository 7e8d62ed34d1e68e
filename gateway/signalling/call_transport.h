#ifndef GATEWAY_SIGNALLING_CALL_TRANSPORT_H_
#define GATEWAY_SIGNALLING_CALL_TRANSPORT_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gateway/signalling/call_counters.h"
#include "gateway/signalling/signalling_methods.h"

namespace sluice {

// A call between its transport and PendingCalls; never used again.
enum class CallId : uint64_t {};

// How messages are written on a transport. Has no state and lives as long as the process: calls
// that are made while a transport goes away still write their answers. Any thread.
class CallCodec {
 public:
  // Reads the body of a request into `request`, which is empty. InvalidArgument, with the field if
  // one is to blame.
  virtual grpc::Status Decode(absl::Span<const uint8_t> body,
                              google::protobuf::Message& request) const = 0;
  // A message of an answer to `method`.
  virtual absl::StatusOr<std::string> Encode(const SignallingMethodRow& method,
                                             const google::protobuf::Message& message) const = 0;

 protected:
  ~CallCodec() = default;
};

// What became of a part of an answer.
enum class CallSend : uint8_t {
  kSent,
  // Nothing of it was sent: PendingCalls::OnWritable says when to offer it again.
  kBlocked,
  // The call is over, and the transport has forgotten it.
  kGone,
};

// Brings calls in and takes answers out. The thread of the connections.
class CallTransport {
 public:
  virtual CallTransportKind kind() const = 0;
  virtual const CallCodec& codec() const = 0;

  // `message` comes from the codec.
  virtual CallSend Send(Timestamp now, CallId id, const std::string& message) = 0;
  // The end of the answer; the transport forgets the call unless that is kBlocked.
  virtual CallSend Finish(Timestamp now, CallId id, const grpc::Status& status) = 0;

 protected:
  ~CallTransport() = default;
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_CALL_TRANSPORT_H_

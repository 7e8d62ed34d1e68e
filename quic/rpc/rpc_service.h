#ifndef QUIC_RPC_RPC_SERVICE_H_
#define QUIC_RPC_RPC_SERVICE_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {

// What a client asks for. Views that last as long as RpcService::OnCall.
struct RpcRequest {
  absl::string_view method;
  // Who claims to ask; not verified, empty for nobody.
  absl::string_view token;
  absl::Span<const uint8_t> message;
  // When the client stops waiting; PlusInfinity() for never. May have passed.
  Timestamp deadline = Timestamp::PlusInfinity();
  // It came as 0-RTT data, at least in part: anybody may have sent it again, so only what may
  // happen twice may come of it (RFC 8446 section 8).
  bool early = false;
};

// What became of a message for a client.
enum class RpcSendVerdict : uint8_t {
  // It is sent, or will be.
  kSent,
  // The client reads too slowly and as much waits as may. Nothing of this one was sent;
  // RpcService::OnWritable says when to go on.
  kBlocked,
  // It is longer than kMaxRpcMessage.
  kTooLong,
  // There is no such call any more.
  kGone,
  // There was no memory for half of it: the call is over, as after RpcService::OnCancelled.
  kBroken,
};

// Takes the answers to calls of one connection. The thread of the connection.
class RpcResponder {
 public:
  virtual ~RpcResponder() = default;

  virtual RpcSendVerdict Send(Timestamp now, RpcStreamId id, absl::Span<const uint8_t> message) = 0;
  // `status` is a google.rpc.Status of at most kMaxRpcStatus bytes. False when there is no such
  // call any more.
  virtual bool Finish(Timestamp now, RpcStreamId id, absl::Span<const uint8_t> status) = 0;
};

// A call that was made and not ended, for who answers it. Copied freely; may outlive the call,
// whose end it notices, but not the connection, whose end is that of all its calls. Equal when they
// are the same call of the same connection; a later connection may have calls that look like those
// of one that is gone. The thread of the connection.
class RpcCall {
 public:
  RpcCall(RpcResponder& responder, RpcStreamId id) : responder_(&responder), id_(id) {}

  // Tells calls of one connection apart, and not those of two; never used again on it.
  RpcStreamId id() const { return id_; }

  // Sends a message. Any number may go before the end.
  RpcSendVerdict Send(Timestamp now, absl::Span<const uint8_t> message) const {
    return responder_->Send(now, id_, message);
  }
  // Ends the call. False when it has ended already.
  bool Finish(Timestamp now, absl::Span<const uint8_t> status) const {
    return responder_->Finish(now, id_, status);
  }
  // ... without details. `message` is ASCII, cut at kMaxRpcStatusMessage.
  bool Finish(Timestamp now, RpcCode code, absl::string_view message) const {
    RpcStatusBuffer buffer;
    return responder_->Finish(now, id_, EncodeRpcStatus(code, message, buffer));
  }

  friend bool operator==(const RpcCall& a, const RpcCall& b) {
    return a.responder_ == b.responder_ && a.id_ == b.id_;
  }
  template <typename H>
  friend H AbslHashValue(H h, const RpcCall& call) {
    return H::combine(std::move(h), call.responder_, call.id_);
  }

 private:
  RpcResponder* responder_;
  RpcStreamId id_;
};

// Why a call ended that nobody had finished.
enum class RpcCancelCause : uint8_t {
  // The client does not want the answer any more.
  kByClient,
  kDeadline,
  // The client did not read for too long what waited for it.
  kTooSlow,
  // The connection is gone.
  kConnectionLost,
};
inline constexpr size_t kRpcCancelCauseCount = 4;

// What is called: does the work of all methods. Called by a connection while that handles an event;
// may answer this and other calls right then, and later. Any number of connections share it. The
// thread of the connections.
class RpcService {
 public:
  virtual ~RpcService() = default;

  // Each call once, and nothing before it. Must be finished some time, unless cancelled.
  virtual void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) = 0;
  // It has ended, and whatever is answered is lost. The call must not be kept: with
  // kConnectionLost its connection is about to go.
  virtual void OnCancelled(const RpcCall& /*call*/, RpcCancelCause /*cause*/) {}
  // Everything that was waiting went out, after a message was kBlocked.
  virtual void OnWritable(Timestamp /*now*/, const RpcCall& /*call*/) {}
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_SERVICE_H_

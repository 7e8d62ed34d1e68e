#ifndef GATEWAY_SIGNALLING_SIGNALLING_RPC_SERVICE_H_
#define GATEWAY_SIGNALLING_SIGNALLING_RPC_SERVICE_H_

#include <cstddef>
#include <string>

#include "base/timestamp.h"
#include "gateway/signalling/call_table.h"
#include "gateway/signalling/call_transport.h"
#include "gateway/signalling/pending_calls.h"
#include "quic/rpc/rpc_service.h"

namespace sluice {

// Brings the calls of participants in over sluice/1 (quic/rpc): methods are called by their names
// in SignallingMethodTable, "Join"; messages are protobuf, the token is the header's. For all
// connections of a thread, and on that thread.
class SignallingRpcService final : public RpcService, private CallTransport {
 public:
  // `pending` outlives the service, and takes no turn after its end.
  explicit SignallingRpcService(PendingCalls& pending) : pending_(pending) {}
  SignallingRpcService(const SignallingRpcService&) = delete;
  SignallingRpcService& operator=(const SignallingRpcService&) = delete;

  // RpcService.
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override;
  void OnCancelled(const RpcCall& call, RpcCancelCause cause) override;
  void OnWritable(Timestamp now, const RpcCall& call) override;

  // Calls that are not finished.
  size_t open_calls() const { return calls_.size(); }

 private:
  // Nothing is remembered of a call.
  struct None {};

  // CallTransport.
  CallTransportKind kind() const override { return CallTransportKind::kRpc; }
  const CallCodec& codec() const override;
  CallSend Send(Timestamp now, CallId id, const std::string& message) override;
  CallSend Finish(Timestamp now, CallId id, const grpc::Status& status) override;

  PendingCalls& pending_;
  CallTable<RpcCall, None> calls_;
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_SIGNALLING_RPC_SERVICE_H_

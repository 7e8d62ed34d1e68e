#ifndef TESTS_INTEROP_QUIC_ECHO_RPC_SERVICE_H_
#define TESTS_INTEROP_QUIC_ECHO_RPC_SERVICE_H_

#include "base/timestamp.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"

namespace sluice {

// Answers every call of `sluice/1` with its own message. One thread.
class EchoRpcService : public RpcService {
 public:
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override {
    // What does not fit at once is told by the status: calls here are short.
    const bool sent = call.Send(now, request.message) == RpcSendVerdict::kSent;
    call.Finish(now, sent ? RpcCode::kOk : RpcCode::kResourceExhausted, "");
  }
};

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_ECHO_RPC_SERVICE_H_

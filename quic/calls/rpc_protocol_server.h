#ifndef QUIC_CALLS_RPC_PROTOCOL_SERVER_H_
#define QUIC_CALLS_RPC_PROTOCOL_SERVER_H_

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "base/timestamp.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/calls/rpc_server_connection.h"
#include "quic/connection/quic_connection.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_server.h"
#include "quic/rpc/rpc_service.h"
#include "quic/server/served_connection.h"
#include "quic/server/turn_counters.h"

namespace sluice {

struct RpcProtocolCounters {
  // Of the calls of all connections that are or were.
  RpcServerCounters calls;
  // How often the pool had no buffer left.
  uint64_t buffers_exhausted = 0;
  // How often a source had all of the pool that it may have.
  uint64_t source_exhausted = 0;
};

// Speaks `sluice/1` on all connections of a thread: makes what answers their calls, and has the
// counters of all of them. That thread, unless said otherwise.
class RpcProtocolServer : public ConnectionProtocol {
 public:
  // `now` is the thread's time, which events of connections do not tell: ServedConnections sets it.
  // `limits` are those that CheckRpcLimits accepts. All others outlive the connections, and so does
  // this.
  RpcProtocolServer(const Timestamp& now, RpcService& service, RpcBufferPool& buffers,
                    const RpcLimits& limits);
  RpcProtocolServer(const RpcProtocolServer&) = delete;
  RpcProtocolServer& operator=(const RpcProtocolServer&) = delete;

  // ConnectionProtocol.
  absl::string_view name() const override { return kRpcProtocolName; }
  uint64_t no_error() const override { return static_cast<uint64_t>(RpcErrorCode::kNone); }
  std::unique_ptr<ServedConnection> Serve(QuicConnection& connection) override;
  void OnTurnEnd() override;

  // Any thread: as they were at the end of a turn.
  RpcProtocolCounters counters() const { return published_.Read(); }

 private:
  const RpcBufferPool& buffers_;
  RpcProtocolCounters counters_;
  const RpcServerResources resources_;
  TurnCounters<RpcProtocolCounters> published_;
};

}  // namespace sluice

#endif  // QUIC_CALLS_RPC_PROTOCOL_SERVER_H_

#ifndef QUIC_CALLS_RPC_SERVER_CONNECTION_H_
#define QUIC_CALLS_RPC_SERVER_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/calls/connection_rpc_streams.h"
#include "quic/calls/rpc_connection_end.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_server.h"
#include "quic/rpc/rpc_service.h"

namespace sluice {

// What the connections of a thread that answer calls share. All of it outlives them.
struct RpcServerResources {
  // The thread's time, which events of connections do not tell: who drives the endpoint sets it
  // before each call of it. Never goes back.
  const Timestamp& now;
  RpcService& service;
  RpcBufferPool& buffers;
  // Those that CheckRpcLimits accepts.
  RpcLimits limits{};
};

// Answers the calls on one connection of a server that speaks `sluice/1`: for
// ConnectionAcceptor::OnConnection to make. Has a timeout besides the connection's own, so whoever
// drives the endpoint drives this too. Allocates in its constructor only. One thread.
class RpcServerConnection : public ConnectionHandler {
 public:
  // `connection` stays until OnClosed.
  RpcServerConnection(const RpcServerResources& resources, QuicConnection& connection);
  RpcServerConnection(const RpcServerConnection&) = delete;
  RpcServerConnection& operator=(const RpcServerConnection&) = delete;

  // Does everything of calls that is due at or before `now`, apart from the connection's own.
  void HandleTimeout(Timestamp now) { server_.HandleTimeout(now); }
  // When that is next needed; PlusInfinity() for never.
  Timestamp NextTimeout() const { return server_.NextTimeout(); }
  // Whether something was said outside of the connection's events since the last question: by
  // HandleTimeout, or by a service that answered later. Then QuicEndpoint::Flush is due, now.
  [[nodiscard]] bool TakeUnsent() { return streams_.TakeUnsent(); }

  // Refuses calls from now on; those that were made go on.
  void Drain();
  // After Drain: all calls have ended, and all of their answers have arrived. The connection may be
  // closed, with RpcErrorCode::kNone.
  bool drained() const { return draining_ && server_.open_calls() == 0 && open_streams_ == 0; }

  // Null after the end.
  QuicConnection* connection() const { return streams_.connection(); }
  // Set when it has come; then the object may go.
  const std::optional<RpcConnectionEnd>& end() const { return end_; }
  const RpcServer& server() const { return server_; }

  // ConnectionHandler.
  void OnStreamOpened(StreamId id) override;
  void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool early) override;
  void OnStreamReset(StreamId id, uint64_t code) override;
  void OnStopSending(StreamId id) override;
  void OnWritable(StreamId id) override;
  void OnStreamClosed(StreamId id) override;
  void OnClosed(const CloseReason& reason) override;

 private:
  const Timestamp& now_;
  // Before the server, which says things on them.
  ConnectionRpcStreams streams_;
  RpcServer server_;
  // Streams of the client's, also those that wait only for answers to arrive.
  size_t open_streams_ = 0;
  bool draining_ = false;
  std::optional<RpcConnectionEnd> end_;
};

}  // namespace sluice

#endif  // QUIC_CALLS_RPC_SERVER_CONNECTION_H_

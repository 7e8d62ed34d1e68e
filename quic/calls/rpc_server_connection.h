#ifndef QUIC_CALLS_RPC_SERVER_CONNECTION_H_
#define QUIC_CALLS_RPC_SERVER_CONNECTION_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/calls/connection_rpc_streams.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_server.h"
#include "quic/rpc/rpc_service.h"
#include "quic/server/served_connection.h"

namespace sluice {

// What the connections of a thread that answer calls share. All of it outlives them.
struct RpcServerResources {
  // The thread's time, which events of connections do not tell: who drives the endpoint sets it
  // before each call of it. Never goes back.
  const Timestamp& now;
  RpcService& service;
  RpcBufferPool& buffers;
  // Of all of them.
  RpcServerCounters& counters;
  // Those that CheckRpcLimits accepts.
  RpcLimits limits{};
};

// Answers the calls on one connection of a server that speaks `sluice/1`. Allocates in its
// constructor only. One thread.
class RpcServerConnection : public ServedConnection {
 public:
  // `connection` stays until OnClosed. Its part of the pool is that of the source which it has now;
  // also when the client moves to another address, so that what it holds is not counted elsewhere.
  RpcServerConnection(const RpcServerResources& resources, QuicConnection& connection);
  RpcServerConnection(const RpcServerConnection&) = delete;
  RpcServerConnection& operator=(const RpcServerConnection&) = delete;

  // ServedConnection. Drained when all calls have ended and all of their answers have arrived.
  void HandleTimeout(Timestamp now) override { server_.HandleTimeout(now); }
  Timestamp NextTimeout() const override { return server_.NextTimeout(); }
  [[nodiscard]] bool TakeUnsent() override { return streams_.TakeUnsent(); }
  void Drain() override;
  bool drained() const override {
    return draining_ && server_.open_calls() == 0 && open_streams_ == 0;
  }
  QuicConnection* connection() const override { return streams_.connection(); }

  uint64_t fruitless_streams() const override { return server_.fruitless_streams(); }
  uint64_t excessive_load() const override {
    return static_cast<uint64_t>(RpcErrorCode::kExcessiveLoad);
  }

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
  // A service that answers later lets the connection be looked at. Nothing else need: whatever
  // brings a deadline nearer outside of events, or ends the last call, says something.
  class Streams : public ConnectionRpcStreams {
   public:
    explicit Streams(RpcServerConnection& connection) : connection_(connection) {}

   protected:
    void OnUnsent() override { connection_.Touch(); }

   private:
    RpcServerConnection& connection_;
  };

  const Timestamp& now_;
  // Before the server, which says things on them.
  Streams streams_{*this};
  RpcServer server_;
  // Streams of the client's, also those that wait only for answers to arrive.
  size_t open_streams_ = 0;
  bool draining_ = false;
};

}  // namespace sluice

#endif  // QUIC_CALLS_RPC_SERVER_CONNECTION_H_

#include "quic/calls/rpc_server_connection.h"

#include "base/buffer_pool.h"
#include "base/check.h"
#include "quic/calls/connection_rpc_streams.h"
#include "quic/server/source_key.h"

namespace sluice {

RpcServerConnection::RpcServerConnection(const RpcServerResources& resources,
                                         QuicConnection& connection)
    : now_(resources.now),
      server_(resources.limits, streams_, resources.service, resources.buffers, resources.counters,
              BufferSource(SourceKey(connection.path().remote).hash())) {
  streams_.Attach(connection);
}

void RpcServerConnection::Drain() {
  draining_ = true;
  server_.Drain();
}

void RpcServerConnection::OnStreamOpened(StreamId id) {
  const ConnectionRpcStreams::Event event(streams_);
  ++open_streams_;
  server_.OnStreamOpened(now_, id);
}

void RpcServerConnection::OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin,
                                       bool early) {
  const ConnectionRpcStreams::Event event(streams_);
  server_.OnStreamData(now_, id, data, fin, early);
  // Whatever it was, nothing of it is kept here that a buffer of the pool does not hold.
  streams_.Consume(id, data.size());
}

void RpcServerConnection::OnStreamReset(StreamId id, uint64_t /*code*/) {
  const ConnectionRpcStreams::Event event(streams_);
  server_.OnStreamReset(id);
}

void RpcServerConnection::OnStopSending(StreamId id) {
  // Told when the connection has written what it had: not an event after which it writes.
  server_.OnStopSending(id);
}

void RpcServerConnection::OnWritable(StreamId id) {
  const ConnectionRpcStreams::Event event(streams_);
  server_.OnWritable(now_, id);
}

void RpcServerConnection::OnStreamClosed(StreamId id) {
  const ConnectionRpcStreams::Event event(streams_);
  SLUICE_DCHECK(open_streams_ > 0);
  --open_streams_;
  server_.OnStreamClosed(id);
}

void RpcServerConnection::OnClosed(const CloseReason& /*reason*/) {
  open_streams_ = 0;
  streams_.Detach();
  server_.OnConnectionClosed();
}

}  // namespace sluice

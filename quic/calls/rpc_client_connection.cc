#include "quic/calls/rpc_client_connection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "quic/rpc/rpc_error_code.h"

namespace sluice {
namespace {

// Datagrams come through a socket of their own, so that names need only be hard to guess.
constexpr size_t kConnectionIdSize = 8;

}  // namespace

RpcClientConnection::RpcClientConnection(const RpcClientResources& resources)
    : events_(resources.events),
      random_(resources.random),
      client_(resources.limits, streams_, resources.events, resources.buffers) {}

absl::StatusOr<std::unique_ptr<RpcClientConnection>> RpcClientConnection::Connect(
    Timestamp now, const UdpPath& path, const OutgoingConnection& outgoing, TlsClientContext& tls,
    const RpcClientResources& resources) {
  auto made = absl::WrapUnique(new RpcClientConnection(resources));
  auto connection = QuicConnection::Connect(
      now, path, outgoing, tls,
      {*made, resources.streams, resources.random, resources.connection_limits});
  if (!connection.ok()) return connection.status();
  made->connection_ = *std::move(connection);
  made->streams_.Attach(*made->connection_);
  made->may_call_early_ = !outgoing.ticket.empty() && !outgoing.remembered_parameters.empty();
  return made;
}

// ---- Datagrams and time. ----

void RpcClientConnection::HandleDatagram(Timestamp now, const UdpPath& path, Ecn ecn,
                                         absl::Span<const uint8_t> datagram, DatagramOutbox& out) {
  connection_->HandleDatagram(now, path, ecn, datagram, out);
  FlushUnsent(now, out);
}

void RpcClientConnection::HandleTimeout(Timestamp now, DatagramOutbox& out) {
  client_.HandleTimeout(now);
  if (connection_->NextTimeout() <= now) connection_->HandleTimeout(now, out);
  FlushUnsent(now, out);
}

Timestamp RpcClientConnection::NextTimeout() const {
  return std::min(connection_->NextTimeout(), client_.NextTimeout());
}

void RpcClientConnection::Flush(Timestamp now, DatagramOutbox& out) {
  static_cast<void>(streams_.TakeUnsent());
  connection_->Flush(now, out);
  FlushUnsent(now, out);
}

void RpcClientConnection::FlushUnsent(Timestamp now, DatagramOutbox& out) {
  if (streams_.TakeUnsent()) connection_->Flush(now, out);
}

// ---- Calls. ----

absl::StatusOr<RpcStreamId> RpcClientConnection::Start(Timestamp now,
                                                       const RpcRequestHeader& header,
                                                       absl::Span<const uint8_t> message,
                                                       RpcReplay replay) {
  if (end_.has_value()) return absl::UnavailableError("the connection has ended");
  if (!connection_->connected() && !(may_call_early_ && replay == RpcReplay::kHarmless)) {
    return absl::UnavailableError("the call must wait until the connection is made");
  }
  return client_.Start(now, header, message);
}

void RpcClientConnection::Close(Timestamp now, DatagramOutbox& out) {
  connection_->Close(now, static_cast<uint64_t>(RpcErrorCode::kNone), out);
}

// ---- What the connection asks. ----

ConnectionHandler* RpcClientConnection::HandlerFor(QuicConnection& /*connection*/) { return this; }

ConnectionId RpcClientConnection::NewConnectionId(QuicConnection& /*connection*/,
                                                  StatelessResetToken& token) {
  std::array<uint8_t, kConnectionIdSize> id;
  random_.Fill(absl::MakeSpan(id));
  random_.Fill(absl::MakeSpan(token));
  return ConnectionId(id);
}

void RpcClientConnection::RetireConnectionId(QuicConnection& /*connection*/,
                                             const ConnectionId& /*id*/) {}

// ---- What the connection tells. ----

void RpcClientConnection::OnConnected() {
  const ConnectionRpcStreams::Event event(streams_);
  events_.OnConnected();
}

void RpcClientConnection::OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin,
                                       bool /*early*/) {
  const ConnectionRpcStreams::Event event(streams_);
  client_.OnStreamData(id, data, fin);
  streams_.Consume(id, data.size());
}

void RpcClientConnection::OnStreamReset(StreamId id, uint64_t code) {
  const ConnectionRpcStreams::Event event(streams_);
  client_.OnStreamReset(id, code);
}

void RpcClientConnection::OnStopSending(StreamId id) {
  // Told when the connection has written what it had: not an event after which it writes.
  client_.OnStopSending(id);
}

void RpcClientConnection::OnWritable(StreamId id) {
  const ConnectionRpcStreams::Event event(streams_);
  client_.OnWritable(id);
}

void RpcClientConnection::OnStreamClosed(StreamId id) {
  const ConnectionRpcStreams::Event event(streams_);
  client_.OnStreamClosed(id);
}

void RpcClientConnection::OnEarlyDataRejected() {
  const ConnectionRpcStreams::Event event(streams_);
  ++early_data_rejected_;
  // First, so that nobody makes a call on streams of which the server never hears.
  may_call_early_ = false;
  events_.OnEarlyCallsRejected();
  client_.OnConnectionClosed();
}

void RpcClientConnection::OnTicket(absl::Span<const uint8_t> session,
                                   absl::Span<const uint8_t> remembered_parameters) {
  const ConnectionRpcStreams::Event event(streams_);
  events_.OnTicket(session, remembered_parameters);
}

void RpcClientConnection::OnToken(absl::Span<const uint8_t> token) {
  const ConnectionRpcStreams::Event event(streams_);
  events_.OnToken(token);
}

void RpcClientConnection::OnClosed(const CloseReason& reason) {
  end_ = RpcConnectionEndOf(reason);
  streams_.Detach();
  client_.OnConnectionClosed();
  events_.OnEnd(*end_);
}

}  // namespace sluice

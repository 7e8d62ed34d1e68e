#ifndef QUIC_CALLS_RPC_CLIENT_CONNECTION_H_
#define QUIC_CALLS_RPC_CLIENT_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/calls/connection_rpc_streams.h"
#include "quic/calls/rpc_connection_end.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameters.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/udp_path.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_client.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_request_header.h"
#include "quic/rpc/rpc_streams.h"
#include "quic/tls/tls_client_context.h"

namespace sluice {

// Whether a call may happen twice, because somebody sends it once more who saw it.
enum class RpcReplay : uint8_t {
  // It must not: it waits for the end of the handshake.
  kHarmful,
  // It may: asking for something, or saying what is so already. May go out as 0-RTT.
  kHarmless,
};

// Hears of a client's connection besides its calls. Called while the connection handles an event;
// calls may be started and cancelled right then.
class RpcClientConnectionEvents : public RpcClientEvents {
 public:
  // The handshake is done; all calls may be made.
  virtual void OnConnected() {}
  // The server did not take 0-RTT and has done nothing of the calls that were made so far, each of
  // which then fails as RpcFailureCause::kConnectionLost. They may be made again from OnConnected.
  virtual void OnEarlyCallsRejected() {}
  // What OutgoingConnection::ticket and remembered_parameters, or token, are next time. Secret.
  virtual void OnTicket(absl::Span<const uint8_t> /*session*/,
                        absl::Span<const uint8_t> /*remembered_parameters*/) {}
  virtual void OnToken(absl::Span<const uint8_t> /*token*/) {}
  // All calls have failed before. Nothing is called after it.
  virtual void OnEnd(RpcConnectionEnd /*end*/) {}
};

// What a client's connection uses. All of it outlives the connection.
struct RpcClientResources {
  RpcClientConnectionEvents& events;
  RpcBufferPool& buffers;
  SendStreamPool& streams;
  RandomSource& random;
  // Those that CheckRpcLimits and CheckConnectionLimits accept.
  RpcLimits limits{};
  ConnectionLimits connection_limits{};
};

// A client's connection that makes calls over `sluice/1`, without sockets or clock: datagrams and
// time come in, datagrams go to an outbox, answers to the events. One thread.
class RpcClientConnection : private ConnectionOwner, private ConnectionHandler {
 public:
  // As QuicConnection::Connect, and with its errors; call Flush next. `tls` offers `sluice/1`.
  static absl::StatusOr<std::unique_ptr<RpcClientConnection>> Connect(
      Timestamp now, const UdpPath& path, const OutgoingConnection& outgoing, TlsClientContext& tls,
      const RpcClientResources& resources);
  RpcClientConnection(const RpcClientConnection&) = delete;
  RpcClientConnection& operator=(const RpcClientConnection&) = delete;

  // ---- Datagrams and time. `now` never goes back. ----

  void HandleDatagram(Timestamp now, const UdpPath& path, Ecn ecn,
                      absl::Span<const uint8_t> datagram, DatagramOutbox& out);
  // Does what is due of the connection and of its calls, and writes.
  void HandleTimeout(Timestamp now, DatagramOutbox& out);
  // The earlier of both; PlusInfinity() for never.
  Timestamp NextTimeout() const;
  // Writes whatever may be written: after Start and Cancel outside of events, and when the outbox
  // was full.
  void Flush(Timestamp now, DatagramOutbox& out);

  // ---- Calls. ----

  // As RpcClient::Start, and with its errors. Unavailable when the call must wait for OnConnected,
  // because it is harmful, because there is no ticket, or because the server does not take 0-RTT;
  // and after the end.
  absl::StatusOr<RpcStreamId> Start(Timestamp now, const RpcRequestHeader& header,
                                    absl::Span<const uint8_t> message, RpcReplay replay);
  // Gives up a call; there are no more events of it. False when there is none of that name.
  bool Cancel(RpcStreamId id) { return client_.Cancel(id); }

  // ---- The connection. ----

  // Ends it, with RpcErrorCode::kNone.
  void Close(Timestamp now, DatagramOutbox& out);
  // As QuicConnection::Migrate; call Flush next.
  bool Migrate(Timestamp now, const UdpPath& path) { return connection_->Migrate(now, path); }

  const std::optional<RpcConnectionEnd>& end() const { return end_; }
  // The server needs not be told of the end any more; the object may go.
  bool over() const { return connection_->over(); }
  // How often calls failed because 0-RTT was not taken.
  uint64_t early_data_rejected() const { return early_data_rejected_; }
  const QuicConnection& connection() const { return *connection_; }
  const RpcClient& client() const { return client_; }

 private:
  explicit RpcClientConnection(const RpcClientResources& resources);

  // ConnectionOwner.
  ConnectionHandler* HandlerFor(QuicConnection& connection) override;
  ConnectionId NewConnectionId(QuicConnection& connection, StatelessResetToken& token) override;
  void RetireConnectionId(QuicConnection& connection, const ConnectionId& id) override;

  // ConnectionHandler.
  void OnConnected() override;
  void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool early) override;
  void OnStreamReset(StreamId id, uint64_t code) override;
  void OnStopSending(StreamId id) override;
  void OnWritable(StreamId id) override;
  void OnStreamClosed(StreamId id) override;
  void OnEarlyDataRejected() override;
  void OnTicket(absl::Span<const uint8_t> session,
                absl::Span<const uint8_t> remembered_parameters) override;
  void OnToken(absl::Span<const uint8_t> token) override;
  void OnClosed(const CloseReason& reason) override;

  void FlushUnsent(Timestamp now, DatagramOutbox& out);

  RpcClientConnectionEvents& events_;
  RandomSource& random_;
  // Before the client, which says things on them.
  ConnectionRpcStreams streams_;
  RpcClient client_;
  // There is a ticket, and the server has not refused it.
  bool may_call_early_ = false;
  uint64_t early_data_rejected_ = 0;
  std::optional<RpcConnectionEnd> end_;
  // Goes before all that it tells.
  std::unique_ptr<QuicConnection> connection_;
};

}  // namespace sluice

#endif  // QUIC_CALLS_RPC_CLIENT_CONNECTION_H_

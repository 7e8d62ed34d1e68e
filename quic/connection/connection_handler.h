#ifndef QUIC_CONNECTION_CONNECTION_HANDLER_H_
#define QUIC_CONNECTION_CONNECTION_HANDLER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameters.h"
#include "quic/connection/close_reason.h"

namespace sluice {

class QuicConnection;

// The number of a stream, as on the wire (RFC 9000 section 2.1): who opened it and whether it goes
// both ways are its two lowest bits.
using StreamId = int64_t;
constexpr bool IsBidirectional(StreamId id) { return (id & 2) == 0; }
constexpr bool IsOpenedByServer(StreamId id) { return (id & 1) != 0; }

// Speaks the application protocol of one connection. Called while the connection handles a datagram
// or a timeout; may call whatever QuicConnection has under "Streams" right then, and nothing else
// of it. Spans are gone after the call.
class ConnectionHandler {
 public:
  virtual ~ConnectionHandler() = default;

  // The handshake is done. Before it only data of the peer's may come, marked as early.
  virtual void OnConnected() {}
  // The peer opened a stream; its first data follow at once.
  virtual void OnStreamOpened(StreamId /*id*/) {}
  // Bytes in their order. `fin`: they are the last ones, also when there are none. `early`: anybody
  // may have sent them again (0-RTT), so only what may happen twice may come of them. The peer may
  // send more only after QuicConnection::Consume.
  virtual void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool early) = 0;
  // The peer gives up sending; there is no more data.
  virtual void OnStreamReset(StreamId /*id*/, uint64_t /*code*/) {}
  // The peer wants no more data; whatever is written from now on is lost. Told when something is to
  // be sent on the stream, not before.
  virtual void OnStopSending(StreamId /*id*/) {}
  // There is room again after QuicConnection::Write took less than it was given. Streams, and
  // connections that share a pool, are told in turn; what one does not take now is for the next.
  virtual void OnWritable(StreamId /*id*/) {}
  // Both directions are done, and the number means nothing any more.
  virtual void OnStreamClosed(StreamId /*id*/) {}
  // A client's 0-RTT was not taken: its streams are gone, as if they had never been opened.
  virtual void OnEarlyDataRejected() {}
  // A client got something that makes its next connection faster: a ticket with the server's
  // parameters, or an address token (RFC 9000 section 8.1.3).
  virtual void OnTicket(absl::Span<const uint8_t> /*session*/,
                        absl::Span<const uint8_t> /*remembered_parameters*/) {}
  virtual void OnToken(absl::Span<const uint8_t> /*token*/) {}
  // The end; nothing is called after it. The connection may go on for a while to tell a peer that
  // did not hear of it.
  virtual void OnClosed(const CloseReason& /*reason*/) {}
};

// Whoever has connections: gives them their names and who speaks on them.
class ConnectionOwner {
 public:
  // A token is at most this long.
  static constexpr size_t kMaxTokenSize = 128;

  virtual ~ConnectionOwner() = default;

  // Who speaks on this connection, asked once, before the first event: of a server's connection its
  // protocol is known then. Null closes it. The handler stays until its OnClosed.
  virtual ConnectionHandler* HandlerFor(QuicConnection& connection) = 0;
  // Another name for this connection, which nobody else has and of which datagrams will be given to
  // it until it is retired; `token` is for a stateless reset. Must not be empty.
  virtual ConnectionId NewConnectionId(QuicConnection& connection, StatelessResetToken& token) = 0;
  virtual void RetireConnectionId(QuicConnection& connection, const ConnectionId& id) = 0;
  // A server writes what the client may show next time instead of a Retry; how many bytes, 0 for
  // none. Asked when the client's address is known to be its own.
  virtual size_t NewToken(QuicConnection& /*connection*/, absl::Span<uint8_t> /*out*/) { return 0; }
  // The pool has something that streams of this connection wait for, which nobody else gets until
  // they were told: to be flushed soon. Comes while another connection does something: that is no
  // time to use this one. Who has only one connection per pool needs to do nothing.
  virtual void OnRoom(QuicConnection& /*connection*/) {}
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_CONNECTION_HANDLER_H_

#ifndef QUIC_CONNECTION_QUIC_CONNECTION_H_
#define QUIC_CONNECTION_QUIC_CONNECTION_H_

#include <ngtcp2/ngtcp2.h>
#include <openssl/base.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_callbacks.h"
#include "quic/connection/connection_end.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/send_share.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/send_streams.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"
#include "quic/tls/tls_session.h"

namespace sluice {

// What the connections of an endpoint share. All of it outlives them.
struct ConnectionResources {
  ConnectionOwner& owner;
  SendStreamPool& streams;
  RandomSource& random;
  // Those that CheckConnectionLimits accepts.
  ConnectionLimits limits;
};

// What a server knows of a connection before it has one.
struct IncomingConnection {
  QuicVersion version = kQuicVersion1;
  // What the client calls itself in its first packet, and what it calls us there.
  ConnectionId client{};
  ConnectionId destination{};
  // After a Retry: what the client called us before it. `destination` is then what the Retry said.
  std::optional<ConnectionId> original_destination{};
  // The token of that packet and whether it proves the address; empty for none.
  absl::Span<const uint8_t> token{};
  bool token_is_of_retry = false;
};

// What a client knows of a connection before it has one.
struct OutgoingConnection {
  QuicVersion version = kQuicVersion1;
  std::string server_name{};
  // What ConnectionHandler::OnTicket and OnToken got last time, or empty.
  std::vector<uint8_t> ticket{};
  std::vector<uint8_t> remembered_parameters{};
  std::vector<uint8_t> token{};
  // The wall clock's time at Timestamp::Zero(): certificates and tickets have dates.
  int64_t unix_seconds_at_zero = 0;
};

// One QUIC connection (RFC 9000), of a server or a client, without sockets or clock: datagrams and
// time come in, datagrams go to an outbox, events to the handler. ngtcp2 keeps the state; ours are
// TLS, names, what waits to be sent, and the end. One thread.
//
// Nothing of ours is allocated after the handshake; ngtcp2 allocates within what the transport
// parameters and `limits` allow a peer. After any call NextTimeout may have changed. A connection
// whose over() is true does nothing more and may go.
class QuicConnection : private ConnectionCallbacks,
                       private TicketReceiver,
                       private SendRoomReceiver {
 public:
  // A server's, for a first packet that ngtcp2_accept and the owner accept; give it to
  // HandleDatagram next. The context outlives the connection. Null when memory is missing.
  static std::unique_ptr<QuicConnection> Accept(Timestamp now, const UdpPath& path,
                                                const IncomingConnection& incoming,
                                                TlsServerContext& tls,
                                                const ConnectionResources& resources);
  // A client's; call Flush next. InvalidArgument for a name that is none, a version that
  // `resources` do not allow, or remembered parameters that are none.
  static absl::StatusOr<std::unique_ptr<QuicConnection>> Connect(
      Timestamp now, const UdpPath& path, const OutgoingConnection& outgoing, TlsClientContext& tls,
      const ConnectionResources& resources);
  ~QuicConnection();
  QuicConnection(const QuicConnection&) = delete;
  QuicConnection& operator=(const QuicConnection&) = delete;

  // ---- Datagrams and time. `now` never goes back. ----

  // Takes a datagram and writes whatever may be written. What does not authenticate changes
  // nothing.
  void HandleDatagram(Timestamp now, const UdpPath& path, Ecn ecn,
                      absl::Span<const uint8_t> datagram, DatagramOutbox& out);
  // Does what is due, and writes.
  void HandleTimeout(Timestamp now, DatagramOutbox& out);
  Timestamp NextTimeout() const;
  // Tells those who wait for room that has come, and writes whatever may be written: after streams
  // were written to from outside of an event, when the outbox was full, and after
  // ConnectionOwner::OnRoom.
  void Flush(Timestamp now, DatagramOutbox& out);

  // ---- Streams. ----

  // A new stream; nothing while the peer allows no more, or before anything may be sent.
  std::optional<StreamId> OpenBidirectional();
  std::optional<StreamId> OpenUnidirectional();
  // Takes as much of `data` as there is room for, to be sent in order, and returns how much that
  // is; when it is less, OnWritable tells when to go on. `fin`: nothing comes after `data`; counts
  // only when all of it was taken, and always when there is none.
  size_t Write(StreamId id, absl::Span<const uint8_t> data, bool fin);
  // Gives up sending, with a code of the application, and forgets what was not sent.
  void Reset(StreamId id, uint64_t code);
  // Wants no more data of the peer's.
  void StopSending(StreamId id, uint64_t code);
  // `size` bytes that OnStreamData gave are done with; the peer may send as many more. Until then
  // they count against the stream's limit, but not against the connection's.
  void Consume(StreamId id, size_t size);

  // ---- The connection. ----

  // Ends it, with a code of the application.
  void Close(Timestamp now, uint64_t code, DatagramOutbox& out);
  // New keys (RFC 9001 section 6). False while that is not yet allowed: before the handshake is
  // confirmed, and until datagrams went both ways three probe timeouts after the last time.
  bool UpdateKeys(Timestamp now);
  // A client goes on from another address. False when the server or its connection ids do not
  // allow it.
  bool Migrate(Timestamp now, const UdpPath& path);

  // The handshake is done and the end has not come.
  bool connected() const { return connected_ && !ended(); }
  // The end has come; over(): and nobody needs to be told any more.
  bool ended() const { return reason_.has_value(); }
  bool over() const { return state_ == State::kOver; }
  const std::optional<CloseReason>& reason() const { return reason_; }
  // Set when it was the peer's transport parameters.
  const std::optional<TransportParameterError>& parameter_error() const {
    return tls_.parameter_error();
  }

  // Empty before it is known.
  absl::string_view protocol() const;
  bool resumed() const { return tls_.resumed(); }
  bool early_data_accepted() const { return tls_.early_data_accepted(); }
  // Version 0 before it is known.
  QuicVersion version() const;
  // Who was given to it at the beginning.
  ConnectionOwner& owner() const { return owner_; }
  UdpPath path() const;
  const ConnectionCounters& counters() const { return counters_; }
  // For tests and traces, which change nothing.
  ngtcp2_conn& ngtcp2() { return *conn_; }

 private:
  enum class State : uint8_t {
    kOpen,
    // We said that it is over, and say it again to who did not hear (RFC 9000 section 10.2.1).
    kClosing,
    // The peer said so (section 10.2.2).
    kDraining,
    kOver,
  };

  QuicConnection(Timestamp now, const ConnectionResources& resources, bssl::UniquePtr<SSL> ssl,
                 const ApplicationProtocols& protocols, int64_t unix_seconds_at_zero);

  // ConnectionCallbacks, TicketReceiver and SendRoomReceiver.
  int OnClientInitial() override;
  int OnCryptoData(ngtcp2_encryption_level level, absl::Span<const uint8_t> data) override;
  int OnHandshakeCompleted() override;
  void OnStreamOpened(int64_t id) override;
  void OnStreamData(int64_t id, absl::Span<const uint8_t> data, bool fin, bool early) override;
  void OnAcknowledged(uint64_t offset, void* stream) override;
  void OnStreamClosed(int64_t id, void* stream) override;
  void OnStreamReset(int64_t id, uint64_t code) override;
  void OnNewConnectionId(ngtcp2_cid& id, absl::Span<uint8_t> token) override;
  void OnRetiredConnectionId(const ngtcp2_cid& id) override;
  void OnTokenWanted() override;
  void OnToken(absl::Span<const uint8_t> token) override;
  void OnEarlyDataRejected() override;
  void OnStatelessReset() override;
  RandomSource& random_source() override { return random_; }
  void OnTicket(absl::Span<const uint8_t> session) override;
  void OnRoom() override;

  // Remembers the time, and is it as ngtcp2 wants it.
  ngtcp2_tstamp Advance(Timestamp now);
  // The handler, asked for at the first use; null when the owner has none.
  ConnectionHandler* handler();

  void WriteAll(DatagramOutbox& out);

  // A place for what is to be sent on a stream that has none; null, and it waits, when there is
  // none. `fin`: nothing but its end is.
  SendStream* PlaceFor(StreamId id, bool fin);
  // Room that came back, for those who wait for it.
  void TellOfRoom();
  void TellOfStops();

  void HandleError(int error, DatagramOutbox& out);
  void Finish(const Ending& ending, DatagramOutbox& out);
  // The first reason is the one that counts, and that is told.
  void Note(const CloseReason& reason);

  ConnectionOwner& owner_;
  RandomSource& random_;
  const ConnectionLimits limits_;
  TlsSession tls_;
  ngtcp2_conn* conn_ = nullptr;
  std::optional<ConnectionHandler*> handler_;
  SendStreams streams_;
  Timestamp now_;
  State state_ = State::kOpen;
  // Reads a datagram, after which it tells of room anyway.
  bool reading_ = false;
  bool connected_ = false;
  std::optional<CloseReason> reason_;
  // While closing or draining.
  Timestamp over_at_ = Timestamp::PlusInfinity();
  ClosePacket close_packet_;
  ConnectionCounters counters_;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_QUIC_CONNECTION_H_

#ifndef QUIC_SERVER_QUIC_ENDPOINT_H_
#define QUIC_SERVER_QUIC_ENDPOINT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameters.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/udp_path.h"
#include "quic/server/address_tokens.h"
#include "quic/server/deadline_queue.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/endpoint_verdict.h"
#include "quic/server/rate_budget.h"
#include "quic/server/source_shares.h"
#include "quic/server/stateless_packets.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// Says who speaks on a new connection.
class ConnectionAcceptor {
 public:
  virtual ~ConnectionAcceptor() = default;
  // As ConnectionOwner::HandlerFor: asked when the protocol is known, null closes it. The handler
  // stays until its OnClosed, or until the endpoint goes.
  virtual ConnectionHandler* OnConnection(QuicConnection& connection) = 0;
};

struct EndpointOptions {
  // Which of how many threads the endpoint is on; they know each other's connections by it.
  uint8_t thread = 0;
  uint8_t threads = 1;
  EndpointLimits limits{};
  ConnectionLimits connection_limits{};
};

struct EndpointResult {
  EndpointVerdict verdict = EndpointVerdict::kNotQuic;
  // Of kOtherThread.
  uint8_t thread = 0;
};

// All connections of a server on one thread, without sockets or clock: finds the connection of a
// datagram, makes new ones within its limits, and answers strangers without keeping anything of
// them. One thread.
//
// What needs no proof of an address is never larger than what it answers and limited per second;
// what is kept for an address that is not proved is limited in number, in total and by source, and
// from a point on nothing is kept without a Retry (RFC 9000 sections 8.1.2 and 21.3).
class QuicEndpoint {
 public:
  // InvalidArgument for limits that CheckEndpointLimits or CheckConnectionLimits refuses or a
  // thread that is not among the threads. The references outlive the endpoint.
  static absl::StatusOr<std::unique_ptr<QuicEndpoint>> Create(
      Timestamp now, const EndpointOptions& options, StatelessReset::Secret reset_secret,
      TlsServerContext& tls, ConnectionAcceptor& acceptor, RandomSource& random);
  ~QuicEndpoint();
  QuicEndpoint(const QuicEndpoint&) = delete;
  QuicEndpoint& operator=(const QuicEndpoint&) = delete;

  // ---- Datagrams and time. `now` never goes back. ----

  // Takes a datagram, and writes what there is to say to it.
  EndpointResult HandleDatagram(Timestamp now, const UdpPath& path, Ecn ecn,
                                absl::Span<const uint8_t> datagram, DatagramOutbox& out);
  // Does what is due, as far as there is room in `out`.
  void HandleTimeouts(Timestamp now, DatagramOutbox& out);
  // MinusInfinity() when something waits only for room in the outbox, or to be told of room in the
  // pool.
  Timestamp NextTimeout() const;
  // After the application wrote to streams of `connection`, which is one of ours, outside of
  // events.
  void Flush(Timestamp now, QuicConnection& connection, DatagramOutbox& out);
  // Ends `connection`, which is one of ours, with a code of the application, outside of events. It
  // is over a little later. Needs room in `out` for the peer to hear of it.
  void Close(Timestamp now, QuicConnection& connection, uint64_t code, DatagramOutbox& out);

  // ---- The end. ----

  // New clients are refused from now on; those that are here go on.
  void StopAccepting() { accepting_ = false; }
  // Closes connections with a code of the application while there is room in `out`. False when some
  // are left: to be called again. Closed ones are over a little later.
  bool CloseSome(Timestamp now, uint64_t code, DatagramOutbox& out);

  size_t connections() const { return connections_; }
  size_t half_open() const { return half_open_; }
  // By EndpointVerdict.
  const std::array<uint64_t, kEndpointVerdictCount>& counters() const { return counters_; }
  const SendStreamPool& send_pool() const { return pool_; }
  // How often a connection asked for more names than it can have.
  uint64_t names_refused() const { return names_refused_; }

 private:
  // ngtcp2 keeps eight, and retired ones for three probe timeouts; one more is the client's own.
  static constexpr size_t kMaxNames = 24;

  // A place for a connection, which gets its names and its handler from it.
  class Place : public ConnectionOwner {
   public:
    ConnectionHandler* HandlerFor(QuicConnection& connection) override;
    ConnectionId NewConnectionId(QuicConnection& connection, StatelessResetToken& token) override;
    void RetireConnectionId(QuicConnection& connection, const ConnectionId& id) override;
    size_t NewToken(QuicConnection& connection, absl::Span<uint8_t> out) override;
    void OnRoom(QuicConnection& /*connection*/) override { Pend(); }
    // To be flushed in its turn.
    void Pend() {
      if (pending) return;
      pending = true;
      endpoint->pending_.push_back(index);
    }

    QuicEndpoint* endpoint = nullptr;
    uint32_t index = 0;
    std::unique_ptr<QuicConnection> connection;
    // Where it came from first.
    UdpAddress source;
    bool half_open = false;
    // Is to be flushed: waits for room in the outbox, or has some in the pool.
    bool pending = false;
    std::array<ConnectionId, kMaxNames> names;
    size_t name_count = 0;
  };

  QuicEndpoint(Timestamp now, const EndpointOptions& options, StatelessReset::Secret reset_secret,
               TlsServerContext& tls, ConnectionAcceptor& acceptor, RandomSource& random);

  EndpointResult Sort(const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> datagram,
                      DatagramOutbox& out);
  EndpointResult HandleShort(const UdpPath& path, absl::Span<const uint8_t> datagram,
                             const ConnectionId& id, DatagramOutbox& out);
  EndpointVerdict HandleInitial(const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> datagram,
                                DatagramOutbox& out);
  EndpointVerdict Accept(const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> datagram,
                         const IncomingConnection& incoming, DatagramOutbox& out);
  // Sends what `write` writes, if strangers may be answered now; `verdict` if it was.
  EndpointVerdict Answer(const UdpPath& path, EndpointVerdict verdict, DatagramOutbox& out,
                         absl::FunctionRef<size_t(absl::Span<uint8_t>)> write);

  Place* Find(const ConnectionId& id);
  bool AddName(Place& place, const ConnectionId& id);
  // After anything happened to a connection.
  void Settle(Place& place, const DatagramOutbox& out);
  void Release(Place& place);

  const EndpointOptions options_;
  const StatelessReset reset_;
  TlsServerContext& tls_;
  ConnectionAcceptor& acceptor_;
  RandomSource& random_;
  // Those of the options, and no more of the pool than others can spare.
  const ConnectionLimits connection_limits_;
  SendStreamPool pool_;
  AddressTokens tokens_;
  RateBudget budget_;
  SourceShares shares_;
  DeadlineQueue deadlines_;
  std::unique_ptr<Place[]> places_;
  std::vector<uint32_t> free_places_;
  std::vector<uint32_t> pending_;
  absl::flat_hash_map<ConnectionId, uint32_t> routes_;
  Timestamp now_;
  bool accepting_ = true;
  // Where CloseSome is.
  uint32_t closing_at_ = 0;
  size_t connections_ = 0;
  size_t half_open_ = 0;
  uint64_t names_refused_ = 0;
  std::array<uint64_t, kEndpointVerdictCount> counters_{};
};

}  // namespace sluice

#endif  // QUIC_SERVER_QUIC_ENDPOINT_H_

#ifndef QUIC_CLIENT_CLIENT_SESSION_H_
#define QUIC_CLIENT_CLIENT_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/calls/rpc_client_connection.h"
#include "quic/calls/rpc_connection_end.h"
#include "quic/client/client_error.h"
#include "quic/client/round_trips.h"
#include "quic/client/ticket_store.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/udp_path.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"
#include "quic/tls/tls_client_context.h"

namespace sluice {

// A call's name, which its maker gives it; never twice in one session.
using ClientCallId = uint64_t;

// What a client asks.
struct ClientRequest {
  std::string method;
  // Empty for none. Secret.
  std::string token{};
  // Opaque here.
  std::string message{};
  // From when the call is handed over, waiting for the connection included.
  TimeDelta timeout = TimeDelta::PlusInfinity();
  RpcReplay replay = RpcReplay::kHarmful;
};

// What something took.
struct WaitingTime {
  TimeDelta elapsed = TimeDelta::Zero();
  // As RoundTrips counts them.
  uint64_t round_trips = 0;
};

// How a call ended.
struct CallEnd {
  // AnswerError, CallError or ConnectionError.
  absl::Status status;
  // With that of the handshake when the call waited for it.
  WaitingTime took;
};

// Hears of a session. Called while it handles something; may hand over and cancel calls right then,
// and nothing else.
class ClientSessionEvents {
 public:
  virtual ~ClientSessionEvents() = default;

  // The span is gone after the call.
  virtual void OnMessage(ClientCallId id, absl::Span<const uint8_t> message) = 0;
  // The last of the call.
  virtual void OnCallEnd(ClientCallId id, const CallEnd& end) = 0;
  virtual void OnConnected() {}
  // For the next connection. Secret.
  virtual void OnTicket(absl::Span<const uint8_t> /*ticket*/,
                        absl::Span<const uint8_t> /*remembered_parameters*/) {}
  virtual void OnToken(absl::Span<const uint8_t> /*token*/) {}
  // The last of the session; all calls have ended before. `why` is never ok.
  virtual void OnEnd(const absl::Status& /*why*/) {}
};

struct ClientSessionOptions {
  // Where the server may be, best first; at least one. Another one is tried when nothing comes from
  // the one before.
  std::vector<UdpPath> paths;
  // A DNS name that the server's certificate must have.
  std::string server_name;
  // As errors name the server.
  std::string server;
  ServerMemory memory{};
  // As in OutgoingConnection.
  int64_t unix_seconds_at_zero = 0;
  // Of each address, from the first packet to the end of the handshake.
  TimeDelta handshake_timeout = TimeDelta::Seconds(5);
  // After so long without a sign of life from one address the next one is tried.
  TimeDelta next_address_after = TimeDelta::Seconds(1);
  // Those that CheckRpcLimits accepts.
  RpcLimits limits{};
};

// One connection of a client and all of its calls: those that are under way and those that wait for
// the handshake or for a place. Tries one address after the other until a server answers; makes
// calls again that a server did not take as 0-RTT. Without sockets or clock: datagrams and time
// come in, datagrams go to an outbox. A session ends once and does not connect again. One thread.
class ClientSession : private RpcClientConnectionEvents {
 public:
  // Calls that wait; more are refused, since nobody could want so many.
  static constexpr size_t kMaxWaiting = 256;

  // The references outlive the session; `tls` offers `sluice/1`. Says nothing until Flush.
  ClientSession(ClientSessionOptions options, TlsClientContext& tls, RandomSource& random,
                ClientSessionEvents& events);
  ~ClientSession() override;
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  // ---- Datagrams and time. `now` never goes back. ----

  // What comes from elsewhere than the server is dropped.
  void HandleDatagram(Timestamp now, const UdpPath& path, Ecn ecn,
                      absl::Span<const uint8_t> datagram, DatagramOutbox& out);
  void HandleTimeout(Timestamp now, DatagramOutbox& out);
  // PlusInfinity() for never.
  Timestamp NextTimeout() const;
  // Begins the handshake the first time; writes whatever may be written. To be called after
  // everything below, and when the outbox was full.
  void Flush(Timestamp now, DatagramOutbox& out);

  // ---- Calls. ----

  // Hands over a call, whose end is told by an event, maybe right now. Before the first Flush, and
  // with a ticket, a harmless one goes out with the first flight.
  void Call(Timestamp now, ClientCallId id, ClientRequest request);
  // Gives up a call; there are no more events of it. False when there is none of that name.
  bool Cancel(ClientCallId id);

  // ---- The connection. ----

  // Ends it. Calls fail as Cancelled.
  void Close(Timestamp now, DatagramOutbox& out);
  // Goes on from another local address. Nothing needs to be done when only a NAT on the way gave
  // this host another one. False before the handshake is confirmed, and when the server does not
  // allow it.
  bool Migrate(Timestamp now, const UdpPath& path);

  bool connected() const { return handshake_.has_value() && !end_.has_value(); }
  // Why it ended, if it did.
  const std::optional<absl::Status>& end() const { return end_; }
  // The server needs not be told of the end any more; the object may go.
  bool over() const { return end_.has_value() && (connection_ == nullptr || connection_->over()); }
  // Where the server is, or is looked for.
  const UdpPath& path() const { return options_.paths[address_]; }
  // What the handshake took, addresses that did not answer included; nothing before its end.
  const std::optional<WaitingTime>& handshake() const { return handshake_; }
  const RoundTrips& round_trips() const { return trips_; }
  // Retries of the server (RFC 9000 section 8.1.2).
  uint64_t retries() const { return retries_; }
  // Datagrams from elsewhere.
  uint64_t strangers() const { return strangers_; }
  // Calls that were made once more because 0-RTT was not taken.
  uint64_t calls_repeated() const { return calls_repeated_; }
  // Null before the first Flush.
  const RpcClientConnection* connection() const { return connection_.get(); }

 private:
  struct CallState {
    ClientRequest request;
    Timestamp begun = Timestamp::Zero();
    Timestamp deadline = Timestamp::PlusInfinity();
    uint64_t trips_before = 0;
    // Of a call that is under way.
    std::optional<RpcStreamId> stream;
  };
  using Calls = std::map<ClientCallId, CallState>;

  // RpcClientConnectionEvents.
  void OnMessage(RpcStreamId id, absl::Span<const uint8_t> message) override;
  void OnStatus(RpcStreamId id, const RpcStatus& status) override;
  void OnFailure(RpcStreamId id, const RpcFailure& failure) override;
  void OnConnected() override;
  void OnEarlyCallsRejected() override;
  void OnTicket(absl::Span<const uint8_t> session,
                absl::Span<const uint8_t> remembered_parameters) override;
  void OnToken(absl::Span<const uint8_t> token) override;
  void OnEnd(RpcConnectionEnd end) override;

  // Makes a connection to the address whose turn it is.
  void Connect(DatagramOutbox& out);
  // To the next one if the last one did not answer; calls go with it.
  void ConnectElsewhere(DatagramOutbox& out);
  bool HasOtherAddress() const { return address_ + 1 < options_.paths.size(); }
  // Starts what can be started.
  void StartWaiting();
  // Ends calls that waited too long for a connection.
  void Expire();
  Calls::iterator Find(RpcStreamId stream);
  void EndCall(Calls::iterator call, absl::Status status);
  void End(const absl::Status& why);
  ConnectionStory Story() const;

  const ClientSessionOptions options_;
  TlsClientContext& tls_;
  RandomSource& random_;
  ClientSessionEvents& events_;
  // Before the connection, which uses them.
  RpcBufferPool buffers_;
  SendStreamPool streams_;
  Calls calls_;
  RoundTrips trips_;
  Timestamp now_ = Timestamp::Zero();
  Timestamp begun_ = Timestamp::Zero();
  size_t address_ = 0;
  // Something came from this address.
  bool heard_ = false;
  Timestamp next_address_at_ = Timestamp::PlusInfinity();
  // The last address is given up; another one is to be tried.
  bool unanswered_ = false;
  // Between the rejection of 0-RTT and the end of the handshake.
  bool rejecting_ = false;
  std::optional<WaitingTime> handshake_;
  std::optional<absl::Status> end_;
  uint64_t retries_ = 0;
  uint64_t strangers_ = 0;
  uint64_t calls_repeated_ = 0;
  std::unique_ptr<RpcClientConnection> connection_;
};

}  // namespace sluice

#endif  // QUIC_CLIENT_CLIENT_SESSION_H_

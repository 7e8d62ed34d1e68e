#ifndef QUIC_SERVER_SERVED_CONNECTIONS_H_
#define QUIC_SERVER_SERVED_CONNECTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/server/deadline_queue.h"
#include "quic/server/listener_application.h"
#include "quic/server/listener_turn.h"
#include "quic/server/rate_budget.h"
#include "quic/server/served_connection.h"
#include "quic/server/turn_counters.h"
#include "quic/server/turn_work.h"

namespace sluice {

// Of the connections of one protocol.
struct ServedProtocolCounters {
  // ConnectionProtocol::name().
  absl::string_view name;
  uint64_t accepted = 0;
  // The protocol would not have it.
  uint64_t refused = 0;
  // By CloseCause.
  std::array<uint64_t, kCloseCauseCount> ended{};
};

struct ServedCounters {
  // A listener has one for participants' calls and one for HTTP; no build offers more.
  static constexpr size_t kMaxProtocols = 4;

  // The first protocol_count of them, in their order.
  std::array<ServedProtocolCounters, kMaxProtocols> protocols{};
  size_t protocol_count = 0;
  // Connections of a protocol that nobody here speaks.
  uint64_t unknown_protocol = 0;
  // Closed because the peer broke a rule of their protocol.
  uint64_t broken = 0;
  // Closed because the peer only made work for nothing (Options::fruitless_per_second).
  uint64_t overloading = 0;
  // Closed because nothing was left on them after Drain.
  uint64_t drained = 0;
  // How often a connection was looked at, which is what a turn costs.
  uint64_t visits = 0;
  // How often the time of one had come.
  uint64_t timeouts = 0;
  // How often what one had to say waited for the next turn.
  uint64_t postponed = 0;
  // As of now.
  size_t connections = 0;
};

// Has the connections of a thread, whatever they speak: asks their protocol for who serves them,
// tells it what happens, keeps its deadlines, and lets go of it after the end. A turn looks at
// those that something happened to or that are due, and at no others: idle ones cost nothing.
// Allocates in its constructor only, besides what protocols make for a connection. One thread.
class ServedConnections : public ListenerApplication {
 public:
  struct Options {
    // EndpointLimits::max_connections.
    uint32_t capacity = 0;
    // At least one, at most ServedCounters::kMaxProtocols, with different names.
    std::vector<ConnectionProtocol*> protocols{};
    // Done in each turn, in this order.
    std::vector<TurnWork*> works{};
    // Of one connection: so many streams may come to nothing by the peer's own doing in a second,
    // and at once (ServedConnection::fruitless_streams). A page that is left gives up as many as
    // may be open at a time, 16, and may come again at once; to ask and give up is cheaper than to
    // answer, so that who goes on like that is not to be served.
    uint32_t fruitless_per_second = 100;
  };

  // `now` is set in each turn: what protocols read the time from. All outlive this; the endpoint
  // goes before it.
  ServedConnections(const Options& options, Timestamp& now);
  ~ServedConnections() override;
  ServedConnections(const ServedConnections&) = delete;
  ServedConnections& operator=(const ServedConnections&) = delete;

  // ConnectionAcceptor.
  ConnectionHandler* OnConnection(QuicConnection& connection) override;

  // ListenerApplication.
  void BeginTurn(Timestamp now) override;
  void EndTurn(const ListenerTurn& turn) override;
  Timestamp NextTimeout() const override;
  void Drain() override;
  bool CloseSome(const ListenerTurn& turn) override;

  // Those whose end has not come.
  size_t connections() const { return counters_.connections; }
  // Any thread: as they were at the end of a turn.
  ServedCounters counters() const { return published_.Read(); }

 private:
  // A place for a connection. Hears everything of it first.
  class Place : public ConnectionHandler, public ConnectionKeeper {
   public:
    void OnConnected() override;
    void OnStreamOpened(StreamId id) override;
    void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool early) override;
    void OnStreamReset(StreamId id, uint64_t code) override;
    void OnStopSending(StreamId id) override;
    void OnWritable(StreamId id) override;
    void OnStreamClosed(StreamId id) override;
    void OnClosed(const CloseReason& reason) override;
    void OnTouched() override;

    ServedConnections* owner = nullptr;
    uint32_t index = 0;
    // Of Options::protocols.
    uint32_t protocol = 0;
    std::unique_ptr<ServedConnection> served;
    // Null after the end.
    QuicConnection* connection = nullptr;
    // Is among those to be looked at.
    bool touched = false;
    // Has something to say that there was no room for.
    bool unsent = false;
    // Is to be closed for what it makes of its streams.
    bool overloading = false;
    // Of its streams that came to nothing, how many are counted, and how many more may be.
    uint64_t fruitless = 0;
    RateBudget budget{Timestamp::Zero(), 0};
  };

  // Everything due at or before `now` of protocols.
  void HandleTimeouts(Timestamp now);
  // Says what is to be said, closes, lets go or remembers the deadline.
  void Settle(const ListenerTurn& turn, Place& place);
  // Whether more of its streams came to nothing than may.
  bool Overloads(Place& place);
  void Postpone(Place& place);
  void Close(const ListenerTurn& turn, Place& place, uint64_t code);
  uint64_t NoError(const Place& place) const { return protocols_[place.protocol]->no_error(); }
  void Free(Place& place);
  void FreeEnded();

  const std::vector<ConnectionProtocol*> protocols_;
  const std::vector<TurnWork*> works_;
  const uint32_t capacity_;
  const uint32_t fruitless_per_second_;
  Timestamp& now_;
  std::unique_ptr<Place[]> places_;
  std::vector<uint32_t> free_places_;
  // To be looked at, each once, and those that just are.
  std::vector<uint32_t> touched_;
  std::vector<uint32_t> settling_;
  DeadlineQueue deadlines_;
  bool draining_ = false;
  // Where CloseSome is.
  uint32_t closing_at_ = 0;
  ServedCounters counters_;
  TurnCounters<ServedCounters> published_;
};

}  // namespace sluice

#endif  // QUIC_SERVER_SERVED_CONNECTIONS_H_

#ifndef QUIC_SERVER_SERVED_CONNECTION_H_
#define QUIC_SERVER_SERVED_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/string_view.h"
#include "base/timestamp.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"

namespace sluice {

// Whoever has a ServedConnection, and looks after it only when something has happened to it. The
// thread of the connection.
class ConnectionKeeper {
 public:
  virtual ~ConnectionKeeper() = default;
  // Cheap; may be called any number of times.
  virtual void OnTouched() = 0;
};

// Who speaks a protocol on one connection of a server, and has deadlines of its own besides the
// connection's. One thread.
//
// Is asked for TakeUnsent, failure, NextTimeout and drained after its events and its HandleTimeout,
// and after it said Touch: not otherwise.
class ServedConnection : public ConnectionHandler {
 public:
  // Does what is due of the protocol at or before `now`, apart from the connection's own.
  virtual void HandleTimeout(Timestamp now) = 0;
  // When that is next needed; PlusInfinity() for never.
  virtual Timestamp NextTimeout() const = 0;
  // Whether something was said outside of the connection's events since the last question. Then
  // QuicEndpoint::Flush is due, now.
  [[nodiscard]] virtual bool TakeUnsent() = 0;
  // Takes nothing new; what was begun goes on.
  virtual void Drain() = 0;
  // After Drain: all has ended and has arrived. The connection may be closed.
  virtual bool drained() const = 0;
  // Null after the end.
  virtual QuicConnection* connection() const = 0;
  // The peer broke a rule of the protocol: the connection is to be closed with this code of the
  // application.
  virtual std::optional<uint64_t> failure() const { return std::nullopt; }
  // How many of the peer's streams have come to nothing by its own doing: it gave them up before
  // all of the answer had gone out, or broke a rule on them. A few are ordinary; who makes too many
  // of them is closed with excessive_load().
  virtual uint64_t fruitless_streams() const { return 0; }
  // Code of the application.
  virtual uint64_t excessive_load() const { return 0; }

  // Who is told of what happens outside of events; null for nobody. Outlives this.
  void set_keeper(ConnectionKeeper* keeper) { keeper_ = keeper; }

 protected:
  // To be called when something was said outside of the connection's events, or a deadline came
  // nearer there: by a service that answers later.
  void Touch() {
    if (keeper_ != nullptr) keeper_->OnTouched();
  }

 private:
  ConnectionKeeper* keeper_ = nullptr;
};

// Speaks one protocol on all connections of a thread. That thread.
class ConnectionProtocol {
 public:
  virtual ~ConnectionProtocol() = default;

  // As in ALPN. Static.
  virtual absl::string_view name() const = 0;
  // Code of the application that connections are closed with when nothing is wrong.
  virtual uint64_t no_error() const = 0;
  // Null closes the connection, which stays until the handler's OnClosed.
  virtual std::unique_ptr<ServedConnection> Serve(QuicConnection& connection) = 0;
  // A turn of the thread is over: the time to show other threads what was counted.
  virtual void OnTurnEnd() {}
};

}  // namespace sluice

#endif  // QUIC_SERVER_SERVED_CONNECTION_H_

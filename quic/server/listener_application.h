#ifndef QUIC_SERVER_LISTENER_APPLICATION_H_
#define QUIC_SERVER_LISTENER_APPLICATION_H_

#include "base/timestamp.h"
#include "quic/server/listener_turn.h"
#include "quic/server/quic_endpoint.h"

namespace sluice {

// What a listener serves: who speaks on its connections, and what they have to do besides. All
// calls of the endpoint lie between BeginTurn and EndTurn. The listener's thread.
class ListenerApplication : public ConnectionAcceptor {
 public:
  // The time of everything until EndTurn. Never goes back.
  virtual void BeginTurn(Timestamp now) = 0;
  // Everything that came from outside has been handled. Writes as far as there is room; the rest
  // goes in the next turn.
  virtual void EndTurn(const ListenerTurn& turn) = 0;
  // When a turn is next needed, besides the endpoint's; MinusInfinity() when something waits only
  // for room in the outbox, PlusInfinity() for never.
  virtual Timestamp NextTimeout() const = 0;

  // Takes nothing new from clients; what was begun goes on. From now on EndTurn closes each
  // connection as soon as nothing is left on it.
  virtual void Drain() = 0;
  // Closes its connections, whatever is left on them, while there is room. False when some are
  // left: to be called again.
  virtual bool CloseSome(const ListenerTurn& turn) = 0;
};

}  // namespace sluice

#endif  // QUIC_SERVER_LISTENER_APPLICATION_H_

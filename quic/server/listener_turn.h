#ifndef QUIC_SERVER_LISTENER_TURN_H_
#define QUIC_SERVER_LISTENER_TURN_H_

#include "base/timestamp.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/server/quic_endpoint.h"

namespace sluice {

// What may be used on the thread that drives an endpoint, while it does: by commands of other
// threads, and by whoever has the connections.
struct ListenerTurn {
  Timestamp now;
  QuicEndpoint& endpoint;
  // For Flush; what is in it leaves with the turn.
  DatagramOutbox& out;
};

}  // namespace sluice

#endif  // QUIC_SERVER_LISTENER_TURN_H_

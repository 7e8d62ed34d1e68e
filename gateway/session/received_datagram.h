#ifndef GATEWAY_SESSION_RECEIVED_DATAGRAM_H_
#define GATEWAY_SESSION_RECEIVED_DATAGRAM_H_

#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "srtp/packet_arena.h"

namespace sluice {

// One datagram as it came from a socket.
struct ReceivedDatagram {
  LegHandle leg;
  Component component = Component::kRtp;
  TransportAddress source;
  PacketLoan packet;
  // The datagram was longer than the slot.
  bool truncated = false;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_RECEIVED_DATAGRAM_H_

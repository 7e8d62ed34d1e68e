#ifndef GATEWAY_SESSION_OUTBOX_H_
#define GATEWAY_SESSION_OUTBOX_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/ring_buffer.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_event.h"
#include "gateway/session/session_spec.h"
#include "srtp/packet_arena.h"

namespace sluice {

// One datagram to be sent.
struct OutgoingDatagram {
  SocketHandle socket;
  TransportAddress destination;
  PacketLoan packet;
  // Whose counters learn how the send went.
  LegHandle leg;
};

// A session that ended by itself, with what it leaves behind.
struct EndedSession {
  SessionSnapshot report;
  // Sockets of its legs, to be closed by the worker.
  std::vector<SocketHandle> sockets;
};

// Where the sessions of one worker put what they want done. Fixed capacity, owned and emptied by
// the worker; when it is full the answer is false and the caller counts a verdict. One thread.
class Outbox {
 public:
  Outbox(size_t max_packets, size_t max_events, size_t max_ended);

  [[nodiscard]] bool PushPacket(OutgoingDatagram datagram);
  absl::Span<OutgoingDatagram> packets();
  void ClearPackets();
  bool packets_full() const;

  // False when full; events_dropped() counts one more.
  bool PushEvent(const SessionEvent& event);
  RingBuffer<SessionEvent>& events();
  uint64_t events_dropped() const;

  // Sessions may only end by themselves while there is room to report it, so that none is lost.
  bool CanEnd() const;
  void PushEnded(std::unique_ptr<EndedSession> ended);
  RingBuffer<std::unique_ptr<EndedSession>>& ended();

 private:
  std::vector<OutgoingDatagram> packets_;
  size_t max_packets_;
  RingBuffer<SessionEvent> events_;
  uint64_t events_dropped_ = 0;
  RingBuffer<std::unique_ptr<EndedSession>> ended_;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_OUTBOX_H_

#include "gateway/worker/packet_slots.h"

#include "gateway/io/receive_batch.h"

namespace sluice {

size_t PacketSlots(const WorkerLimits& limits) {
  size_t slots = 0;
  slots += limits.receive_batch;   // received, being processed
  slots += kSocketTurn;            // lent for the next receive call
  slots += limits.outbox_packets;  // waiting for sendmmsg, copies for fan-out included
  slots += 1;                      // a copy being made, or opened with a key on trial
  return slots;
}

}  // namespace sluice

#ifndef GATEWAY_WORKER_PACKET_SLOTS_H_
#define GATEWAY_WORKER_PACKET_SLOTS_H_

#include <cstddef>

#include "gateway/worker/worker_limits.h"

namespace sluice {

// How many packet slots a worker with these limits holds at most at one time; `packet_slots` in the
// argument is not looked at. With as many, a packet is never lost for want of a slot.
size_t PacketSlots(const WorkerLimits& limits);

}  // namespace sluice

#endif  // GATEWAY_WORKER_PACKET_SLOTS_H_

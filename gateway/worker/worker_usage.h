#ifndef GATEWAY_WORKER_WORKER_USAGE_H_
#define GATEWAY_WORKER_WORKER_USAGE_H_

#include <cstddef>
#include <cstdint>

#include "gateway/session/byte_budget.h"
#include "interceptor/interceptor_outbox.h"

namespace sluice {

// What one worker holds at one moment, and how often it ran out.
struct WorkerUsage {
  size_t sessions = 0;
  size_t legs = 0;
  size_t sockets = 0;
  size_t packet_slots = 0;
  // Slots without a packet in them.
  size_t packet_slots_free = 0;
  uint64_t packet_slots_exhausted = 0;
  uint64_t events_dropped = 0;
  // What legs take beyond what every leg may, in bytes; what their interceptors take, in bytes; and
  // packets that those may keep.
  BudgetUse extra_srtp;
  BudgetUse interceptor_bytes;
  BudgetUse held_packets;
  // What those made and there was no room for.
  InterceptorDrops interceptor_drops;
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_WORKER_USAGE_H_

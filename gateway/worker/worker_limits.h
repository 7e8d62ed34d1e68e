#ifndef GATEWAY_WORKER_WORKER_LIMITS_H_
#define GATEWAY_WORKER_WORKER_LIMITS_H_

#include <cstddef>

namespace sluice {

// What one worker may hold; every number is at least 1 unless it says otherwise.
struct WorkerLimits {
  size_t sessions = 0;
  size_t legs_per_session = 0;
  size_t streams_per_leg = 0;
  // Datagrams taken from all sockets before they are processed together.
  size_t receive_batch = 0;
  size_t outbox_packets = 0;
  size_t mailbox_commands = 0;
  size_t event_queue = 0;
  // As in SessionTableLimits; may be 0.
  size_t extra_srtp_bytes = 0;
  size_t interceptor_bytes = 0;
  size_t held_packets = 0;
  // At least PacketSlots(limits), see packet_slots.h.
  size_t packet_slots = 0;
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_WORKER_LIMITS_H_

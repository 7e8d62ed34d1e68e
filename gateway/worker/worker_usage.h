#ifndef GATEWAY_WORKER_WORKER_USAGE_H_
#define GATEWAY_WORKER_WORKER_USAGE_H_

#include <cstddef>
#include <cstdint>

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
  // What legs take beyond what every leg may, and how often more was asked for than there is.
  size_t extra_srtp_bytes = 0;
  uint64_t extra_srtp_refused = 0;
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_WORKER_USAGE_H_

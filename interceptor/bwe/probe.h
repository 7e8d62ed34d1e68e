#ifndef INTERCEPTOR_BWE_PROBE_H_
#define INTERCEPTOR_BWE_PROBE_H_

#include <cstdint>

#include "base/data_rate.h"
#include "base/time_delta.h"

namespace sluice {

// A few packets to be sent at a rate above the target, to find out whether it would do.
struct Probe {
  // Names it, not 0.
  uint32_t cluster;
  DataRate rate;
  TimeDelta duration;
};

// Fewer packets measure nothing.
inline constexpr int kMinProbePackets = 5;

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_PROBE_H_

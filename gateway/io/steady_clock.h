#ifndef GATEWAY_IO_STEADY_CLOCK_H_
#define GATEWAY_IO_STEADY_CLOCK_H_

#include "base/timestamp.h"

namespace sluice {

// CLOCK_MONOTONIC, the only clock of the media path and the only place that reads it: the worker
// loop asks once per turn and hands the answer down. Any thread.
class SteadyClock {
 public:
  static Timestamp Now();
};

}  // namespace sluice

#endif  // GATEWAY_IO_STEADY_CLOCK_H_

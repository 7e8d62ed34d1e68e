#ifndef GATEWAY_IO_WALL_CLOCK_H_
#define GATEWAY_IO_WALL_CLOCK_H_

#include <cstdint>

#include "base/time_delta.h"

namespace sluice {

// The NTP time at which Timestamp (the steady clock) is zero: seconds since 1900 in 32.32 bits (RFC
// 5905 section 6), by the system's clock as it is at the first call, for the whole process: report
// times must not jump when the system's clock is set. Any thread.
uint64_t NtpOrigin();
// The same as time since 1970-01-01 00:00 UTC.
TimeDelta UnixOrigin();

}  // namespace sluice

#endif  // GATEWAY_IO_WALL_CLOCK_H_

#ifndef QUIC_IO_MONOTONIC_CLOCK_H_
#define QUIC_IO_MONOTONIC_CLOCK_H_

#include "base/timestamp.h"

namespace sluice {

// CLOCK_MONOTONIC, the time line of connections over real sockets; a listener asks once per turn
// and hands the answer down. Any thread.
Timestamp MonotonicNow();

}  // namespace sluice

#endif  // QUIC_IO_MONOTONIC_CLOCK_H_

#include "quic/io/monotonic_clock.h"

#include <time.h>

#include <cstdint>

#include "base/check.h"
#include "base/timestamp.h"

namespace sluice {

Timestamp MonotonicNow() {
  timespec now;
  SLUICE_CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  return Timestamp::Micros(int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000);
}

}  // namespace sluice

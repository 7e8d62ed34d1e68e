#include "gateway/io/steady_clock.h"

#include <time.h>

#include "base/check.h"

namespace sluice {

Timestamp SteadyClock::Now() {
  timespec now;
  SLUICE_CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  return Timestamp::Micros(int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000);
}

}  // namespace sluice

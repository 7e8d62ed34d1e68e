#include "gateway/io/wall_clock.h"

#include <time.h>

#include "base/timestamp.h"
#include "gateway/io/steady_clock.h"

namespace sluice {
namespace {

// From 1900 to 1970 (RFC 5905 figure 4).
constexpr int64_t kNtpToUnixSeconds = 2'208'988'800;
constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kNanosPerMicro = 1'000;

int64_t ReadUnixOriginMicros() {
  timespec wall{};
  // Cannot fail with this clock.
  clock_gettime(CLOCK_REALTIME, &wall);
  const int64_t unix_us = int64_t{wall.tv_sec} * kMicrosPerSecond + wall.tv_nsec / kNanosPerMicro;
  return unix_us - SteadyClock::Now().us();
}

}  // namespace

TimeDelta UnixOrigin() {
  static const int64_t origin_us = ReadUnixOriginMicros();
  return TimeDelta::Micros(origin_us);
}

uint64_t NtpOrigin() {
  const int64_t us = UnixOrigin().us() + kNtpToUnixSeconds * kMicrosPerSecond;
  const auto seconds = static_cast<uint64_t>(us / kMicrosPerSecond);
  const auto rest = static_cast<uint64_t>(us % kMicrosPerSecond);
  // The era wraps in 2036, as it must.
  return seconds << 32 | (rest << 32) / kMicrosPerSecond;
}

}  // namespace sluice

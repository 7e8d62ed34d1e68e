#include "interceptor/report/ntp_time.h"

#include <limits>

namespace sluice {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int kFractionBits = 32;
constexpr int64_t kCompactUnitsPerSecond = 65536;

}  // namespace

uint64_t NtpClock::At(Timestamp time) const {
  // Whole seconds apart, so that the rest fits into 64 bits; towards minus infinity, so that the
  // rest is not negative.
  int64_t seconds = time.us() / kMicrosPerSecond;
  int64_t rest = time.us() % kMicrosPerSecond;
  if (rest < 0) {
    rest += kMicrosPerSecond;
    --seconds;
  }
  const uint64_t fraction = (static_cast<uint64_t>(rest) << kFractionBits) / kMicrosPerSecond;
  return origin_ + (static_cast<uint64_t>(seconds) << kFractionBits) + fraction;
}

uint32_t ToCompactDelay(TimeDelta delay) {
  if (delay <= TimeDelta::Zero()) {
    return 0;
  }
  const int64_t units = delay * kCompactUnitsPerSecond / TimeDelta::Seconds(1);
  constexpr int64_t kLongest = std::numeric_limits<uint32_t>::max();
  return static_cast<uint32_t>(units < kLongest ? units : kLongest);
}

TimeDelta FromCompactDelay(uint32_t delay) {
  return TimeDelta::Micros(int64_t{delay} * kMicrosPerSecond / kCompactUnitsPerSecond);
}

}  // namespace sluice

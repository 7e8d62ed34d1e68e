#include "interceptor/report/media_clock.h"

#include "interceptor/report/interarrival_jitter.h"

namespace sluice {

std::optional<RtpTimestamp> MediaClock::At(Timestamp now) const {
  if (clock_rate_ == 0) {
    return std::nullopt;
  }
  // Both rounded the same way, so that a report at the packet's own time has its timestamp.
  const uint32_t elapsed = ClockTicks(Timestamp::Zero() + (now - sent_), clock_rate_);
  return RtpTimestamp(timestamp_.value() + elapsed);
}

}  // namespace sluice

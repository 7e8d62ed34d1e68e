#include "interceptor/report/media_clock.h"

#include "interceptor/report/interarrival_jitter.h"

namespace sluice {

void MediaClock::OnPacket(Timestamp now, SequenceNumber sequence, RtpTimestamp timestamp,
                          uint32_t clock_rate) {
  const bool first = clock_rate_ == 0;
  const auto backward = static_cast<uint16_t>(newest_.value() - sequence.value());
  if (!first && backward <= kMaxMisorder) {
    return;
  }
  newest_ = sequence;
  if (!first && timestamp == timestamp_ && clock_rate == clock_rate_) {
    return;
  }
  clock_rate_ = clock_rate;
  sent_ = now;
  timestamp_ = timestamp;
}

std::optional<RtpTimestamp> MediaClock::At(Timestamp now) const {
  if (clock_rate_ == 0) {
    return std::nullopt;
  }
  // Both rounded the same way, so that a report at the packet's own time has its timestamp.
  const uint32_t elapsed = ClockTicks(Timestamp::Zero() + (now - sent_), clock_rate_);
  return RtpTimestamp(timestamp_.value() + elapsed);
}

}  // namespace sluice

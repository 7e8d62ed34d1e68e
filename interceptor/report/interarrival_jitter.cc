#include "interceptor/report/interarrival_jitter.h"

#include <algorithm>
#include <limits>

namespace sluice {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
// The gain of 1/16 gives a good noise reduction at a reasonable rate of convergence (RFC 3550
// section 6.4.1).
constexpr int kGainBits = 4;

}  // namespace

uint32_t ClockTicks(Timestamp time, uint32_t clock_rate) {
  int64_t seconds = time.us() / kMicrosPerSecond;
  int64_t rest = time.us() % kMicrosPerSecond;
  if (rest < 0) {
    rest += kMicrosPerSecond;
    --seconds;
  }
  // A second has a whole number of ticks, so the two parts are exact together; the first may wrap,
  // the second is below 2^52.
  return static_cast<uint32_t>(static_cast<uint64_t>(seconds) * clock_rate +
                               static_cast<uint64_t>(rest) * clock_rate / kMicrosPerSecond);
}

void InterarrivalJitter::Update(Timestamp arrival, RtpTimestamp timestamp, uint32_t clock_rate) {
  if (clock_rate != clock_rate_) {
    if (clock_rate_ != 0) {
      // At most 2^35 * 2^32 / 1 would not fit: the jitter of a rate that jumps like that is lost.
      scaled_ = scaled_ > std::numeric_limits<uint64_t>::max() / clock_rate
                    ? 0
                    : scaled_ * clock_rate / clock_rate_;
    }
    clock_rate_ = clock_rate;
    started_ = false;
  }
  const uint32_t transit = ClockTicks(arrival, clock_rate) - timestamp.value();
  if (!started_) {
    started_ = true;
    transit_ = transit;
    return;
  }
  const uint32_t forward = transit - transit_;
  transit_ = transit;
  // The nearer way round.
  const uint64_t difference =
      std::min<uint64_t>(std::min(forward, 0u - forward), uint64_t{max_seconds_} * clock_rate);
  scaled_ += difference;
  scaled_ -= (scaled_ - difference + (1u << (kGainBits - 1))) >> kGainBits;
}

uint32_t InterarrivalJitter::jitter() const {
  return static_cast<uint32_t>(
      std::min<uint64_t>(scaled_ >> kGainBits, std::numeric_limits<uint32_t>::max()));
}

TimeDelta InterarrivalJitter::duration() const {
  if (clock_rate_ == 0) {
    return TimeDelta::Zero();
  }
  return TimeDelta::Micros(int64_t{jitter()} * kMicrosPerSecond / clock_rate_);
}

}  // namespace sluice

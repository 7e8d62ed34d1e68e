#include "interceptor/jitter/playout_delay.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace sluice {
namespace {

// The fastest packets set the base for one to two of these: often enough to follow clocks that
// drift by 100 ppm within 2 ms, seldom enough to see a fast one in each.
constexpr TimeDelta kWindow = TimeDelta::Seconds(10);
// A step like that is no delay: the sender's clock began anew.
constexpr int64_t kMaxStepUs = 10'000'000;
// Sum of all shares.
constexpr uint32_t kWhole = 1 << 24;
// Of the packets, these may be too late: concealed without being noticed much.
constexpr uint32_t kTooLate = kWhole / 32;
// A packet fades by 1/256 with each that follows: five seconds of speech. The first ones weigh
// more, so that the buffer adapts at once.
constexpr uint32_t kMemoryBits = 8;

}  // namespace

bool PlayoutDelay::IsValid(const PlayoutDelayOptions& options) {
  return options.minimum >= TimeDelta::Zero() && options.initial >= options.minimum &&
         options.maximum >= options.initial && options.maximum > TimeDelta::Zero() &&
         options.maximum <= kLongest;
}

PlayoutDelay::PlayoutDelay(const PlayoutDelayOptions& options)
    : options_(options),
      bucket_width_(std::max(options.maximum / kBuckets, TimeDelta::Micros(1))),
      target_(options.initial) {
  SLUICE_CHECK(IsValid(options));
  Restart();
}

void PlayoutDelay::Restart() {
  started_ = false;
  target_ = options_.initial;
  shares_.fill(0);
  // As if one packet had had it: fades like all others.
  shares_[BucketOf(options_.initial)] = kWhole;
  packets_ = 0;
}

void PlayoutDelay::OnPacket(Timestamp arrival, int64_t media_us) {
  const int64_t transit_us = arrival.us() - media_us;
  if (started_ &&
      (transit_us - transit_us_ > kMaxStepUs || transit_us_ - transit_us > kMaxStepUs)) {
    Restart();
  }
  transit_us_ = transit_us;
  if (!started_) {
    started_ = true;
    window_begin_ = arrival;
    fastest_us_ = transit_us;
    fastest_before_us_ = transit_us;
  }
  if (arrival - window_begin_ >= kWindow) {
    window_begin_ = arrival;
    fastest_before_us_ = fastest_us_;
    fastest_us_ = transit_us;
  }
  fastest_us_ = std::min(fastest_us_, transit_us);
  CountDelay(TimeDelta::Micros(transit_us - std::min(fastest_us_, fastest_before_us_)));
}

size_t PlayoutDelay::BucketOf(TimeDelta delay) const {
  return static_cast<size_t>(
      std::clamp<int64_t>(delay / bucket_width_, 0, static_cast<int64_t>(kBuckets) - 1));
}

void PlayoutDelay::CountDelay(TimeDelta delay) {
  const uint32_t bits = std::min<uint32_t>(std::bit_width(packets_ + 1), kMemoryBits);
  packets_ = std::min(packets_ + 1, uint32_t{1} << kMemoryBits);
  uint32_t sum = 0;
  for (uint32_t& share : shares_) {
    share -= share >> bits;
    sum += share;
  }
  shares_[BucketOf(delay)] += kWhole - sum;
  // From the slowest down.
  size_t slowest = kBuckets - 1;
  for (uint32_t late = shares_[slowest]; late <= kTooLate && slowest > 0;) {
    late += shares_[--slowest];
  }
  // A delay of less than one bucket needs no buffer; others are over before their bucket ends.
  const TimeDelta needed =
      slowest == 0 ? TimeDelta::Zero() : bucket_width_ * static_cast<int64_t>(slowest + 1);
  target_ = std::clamp(needed, options_.minimum, options_.maximum);
}

Timestamp PlayoutDelay::Turn(Timestamp arrival, int64_t media_us) const {
  const Timestamp turn =
      Timestamp::Micros(media_us + std::min(fastest_us_, fastest_before_us_)) + target_;
  return started_ ? std::min(turn, arrival + options_.maximum) : arrival + target_;
}

}  // namespace sluice

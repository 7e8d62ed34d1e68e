#include "interceptor/bwe/rate_control.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

// After an overuse: this share of what was delivered (section 5.5: beta) ...
constexpr int64_t kBackoffPercent = 85;
// ... and a little less, which matters at low rates only and drains the queue there.
constexpr DataRate kExtraBackoff = DataRate::KilobitsPerSec(5);
// Far from where the path was full the rate grows by this factor per second (section 5.5: eta) ...
constexpr double kGrowthPerSecond = 1.08;
constexpr DataRate kMinGrowth = DataRate::BitsPerSec(1000);
// ... near it at least so much per second.
constexpr DataRate kMinStepPerSecond = DataRate::BitsPerSec(4000);
// Nobody knows more than half again what was delivered (section 5.5); a little may always be tried.
constexpr DataRate kFreeAboveDelivered = DataRate::KilobitsPerSec(10);
// A pause is not longer than this for what grows with time.
constexpr TimeDelta kMaxStep = TimeDelta::Seconds(1);
// Between two decreases: a round trip within these bounds.
constexpr TimeDelta kMinDecreaseGap = TimeDelta::Millis(10);
constexpr TimeDelta kMaxDecreaseGap = TimeDelta::Millis(200);
// How long a receiver needs to see an overuse, beside the round trip.
constexpr TimeDelta kDetectionTime = TimeDelta::Millis(100);
// A packet, whatever the stream's have: flows of different rates take equal steps, and so come to
// equal rates.
constexpr DataSize kPacket = DataSize::Bytes(1200);

DataRate Scale(DataRate rate, double factor) {
  return DataRate::BitsPerSec(std::llround(static_cast<double>(rate.bps()) * factor));
}

DataRate Percent(DataRate rate, int64_t percent) {
  return DataRate::BitsPerSec((rate * percent).bps() / 100);
}

}  // namespace

DataRate RateControl::Clamp(DataRate rate) const { return std::clamp(rate, min_, max_); }

void RateControl::SetEstimate(Timestamp now, DataRate estimate) {
  estimate_ = Clamp(estimate);
  last_change_ = now;
}

void RateControl::OnProbe(Timestamp now, DataRate rate) {
  capacity_.OnProbe(rate);
  SetEstimate(now, rate);
}

bool RateControl::MayDecrease(Timestamp now, std::optional<DataRate> delivered) const {
  if (!last_decrease_.has_value() ||
      now - *last_decrease_ >= std::clamp(round_trip_, kMinDecreaseGap, kMaxDecreaseGap)) {
    return true;
  }
  // What arrives is so little that waiting would only fill the queue.
  return delivered.has_value() && *delivered < Percent(estimate_, 50);
}

DataRate RateControl::Update(Timestamp now, PathUsage usage, std::optional<DataRate> delivered,
                             bool application_limited) {
  switch (usage) {
    case PathUsage::kOverusing:
      if (MayDecrease(now, delivered)) {
        Decrease(now, delivered);
      }
      break;
    case PathUsage::kUnderusing:
      state_ = State::kHold;
      break;
    case PathUsage::kNormal:
      if (state_ == State::kHold) {
        state_ = State::kIncrease;
        last_change_ = now;
      }
      Increase(now, delivered, application_limited);
      break;
  }
  return estimate_;
}

DataRate RateControl::StepPerSecond() const {
  // The whole response time twice: the path needs one to react, and one is to be seen.
  const DataRate step = kPacket / (2 * (round_trip_ + kDetectionTime));
  // Not quicker than far from where the path was full.
  return std::max(std::min(step, Scale(estimate_, kGrowthPerSecond - 1)), kMinStepPerSecond);
}

void RateControl::Increase(Timestamp now, std::optional<DataRate> delivered,
                           bool application_limited) {
  // More than the estimate is delivered by chance only, and says nothing.
  if (delivered.has_value() && std::min(*delivered, estimate_) > capacity_.UpperBound()) {
    capacity_.Reset();
  }
  const DataRate limit = application_limited     ? estimate_
                         : delivered.has_value() ? Percent(*delivered, 150) + kFreeAboveDelivered
                                                 : DataRate::PlusInfinity();
  if (estimate_ < limit) {
    const TimeDelta step =
        std::clamp(now - last_change_.value_or(now), TimeDelta::Zero(), kMaxStep);
    const double seconds = static_cast<double>(step.us()) / 1e6;
    const DataRate growth =
        capacity_.estimate().has_value()
            ? Scale(StepPerSecond(), seconds)
            : std::max(Scale(estimate_, std::pow(kGrowthPerSecond, seconds) - 1),
                       Scale(kMinGrowth, seconds));
    estimate_ = Clamp(std::min(estimate_ + growth, limit));
  }
  last_change_ = now;
}

void RateControl::Decrease(Timestamp now, std::optional<DataRate> delivered) {
  // Without anything delivered the path is not known at all: half is a guess.
  DataRate decreased = Percent(estimate_, 50);
  if (delivered.has_value()) {
    decreased = Percent(*delivered, kBackoffPercent);
    if (decreased > kExtraBackoff) {
      decreased -= kExtraBackoff;
    }
    if (decreased > estimate_ && capacity_.estimate().has_value()) {
      decreased = Percent(*capacity_.estimate(), kBackoffPercent);
    }
    if (*delivered < capacity_.LowerBound()) {
      capacity_.Reset();
    }
    capacity_.OnOveruse(*delivered);
  }
  estimate_ = Clamp(std::min(decreased, estimate_));
  state_ = State::kHold;
  last_change_ = now;
  last_decrease_ = now;
}

}  // namespace sluice

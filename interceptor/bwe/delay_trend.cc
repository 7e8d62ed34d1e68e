#include "interceptor/bwe/delay_trend.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

// Of the delay so far in its running average.
constexpr double kSmoothing = 0.9;
// The slope is multiplied by this and by how many deltas it was seen over, up to so many: a trend
// must last to count.
constexpr double kGain = 4.0;
constexpr int kMaxDeltas = 60;

// Bounds of the threshold, and how quickly it follows upwards and downwards (section 5.4: K_u and
// K_d); per millisecond.
constexpr double kMinThreshold = 6;
constexpr double kMaxThreshold = 600;
constexpr double kUpPerMs = 0.0087;
constexpr double kDownPerMs = 0.039;
// An offset this far above the threshold is a spike and teaches nothing.
constexpr double kSpike = 15;
// A pause is not longer than this for the threshold.
constexpr double kMaxStepMs = 100;

// The path is overused when the offset was above the threshold for so long (section 5.4:
// overuse_time_th).
constexpr double kOveruseMs = 10;

double Ms(TimeDelta delta) { return static_cast<double>(delta.us()) / 1000.0; }

}  // namespace

PathUsage DelayTrend::Update(const GroupDelta& delta, Timestamp arrived) {
  if (!first_arrived_.has_value()) {
    first_arrived_ = arrived;
  }
  deltas_ = std::min(deltas_ + 1, kMaxDeltas);
  accumulated_ms_ += Ms(delta.arrived - delta.sent);
  smoothed_ms_ = kSmoothing * smoothed_ms_ + (1 - kSmoothing) * accumulated_ms_;
  points_[next_point_] = {Ms(arrived - *first_arrived_), smoothed_ms_};
  next_point_ = (next_point_ + 1) % kWindow;
  point_count_ = std::min(point_count_ + 1, kWindow);
  if (point_count_ == kWindow) {
    slope_ = Slope().value_or(slope_);
  }
  Detect(slope_, Ms(delta.sent));
  AdaptThreshold(arrived);
  return usage_;
}

std::optional<double> DelayTrend::Slope() const {
  double time_sum = 0;
  double delay_sum = 0;
  for (const Point& point : points_) {
    time_sum += point.arrived_ms;
    delay_sum += point.delay_ms;
  }
  const double time_mean = time_sum / kWindow;
  const double delay_mean = delay_sum / kWindow;
  double numerator = 0;
  double denominator = 0;
  for (const Point& point : points_) {
    const double time = point.arrived_ms - time_mean;
    numerator += time * (point.delay_ms - delay_mean);
    denominator += time * time;
  }
  if (denominator == 0) {
    return std::nullopt;
  }
  return numerator / denominator;
}

void DelayTrend::Detect(double slope, double sent_ms) {
  offset_ = deltas_ < 2 ? 0 : deltas_ * slope * kGain;
  if (offset_ > threshold_) {
    // Half of the first step was above, on the average.
    over_ms_ = over_ms_.has_value() ? *over_ms_ + sent_ms : sent_ms / 2;
    ++over_count_;
    if (*over_ms_ > kOveruseMs && over_count_ > 1 && slope >= last_slope_) {
      over_ms_ = 0;
      over_count_ = 0;
      usage_ = PathUsage::kOverusing;
    }
  } else {
    over_ms_.reset();
    over_count_ = 0;
    usage_ = offset_ < -threshold_ ? PathUsage::kUnderusing : PathUsage::kNormal;
  }
  last_slope_ = slope;
}

void DelayTrend::AdaptThreshold(Timestamp arrived) {
  const double step_ms =
      std::clamp(Ms(arrived - threshold_adapted_.value_or(arrived)), 0.0, kMaxStepMs);
  threshold_adapted_ = arrived;
  const double distance = std::abs(offset_) - threshold_;
  if (distance > kSpike) {
    return;
  }
  const double per_ms = distance < 0 ? kDownPerMs : kUpPerMs;
  threshold_ = std::clamp(threshold_ + per_ms * distance * step_ms, kMinThreshold, kMaxThreshold);
}

}  // namespace sluice

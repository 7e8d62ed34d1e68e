#include "interceptor/bwe/delivered_rate.h"

#include <cmath>

namespace sluice {
namespace {

constexpr TimeDelta kFirstWindow = TimeDelta::Millis(500);
constexpr TimeDelta kWindow = TimeDelta::Millis(150);
// How much less a sample far from the estimate is believed ...
constexpr double kUncertainty = 10;
// ... and one below it when there was nothing to send.
constexpr double kLimitedUncertainty = 20;
// What the rate may change by itself between two samples; when a change is expected.
constexpr double kDrift = 5;
constexpr double kExpectedDrift = 200;

}  // namespace

std::optional<DataRate> DeliveredRate::rate() const {
  if (!kbps_.has_value()) {
    return std::nullopt;
  }
  return DataRate::BitsPerSec(std::llround(*kbps_ * 1000));
}

void DeliveredRate::ExpectChange() { variance_ += kExpectedDrift; }

std::optional<double> DeliveredRate::UpdateWindow(Timestamp arrived, DataSize size) {
  const TimeDelta length = kbps_.has_value() ? kWindow : kFirstWindow;
  if (last_arrived_.has_value()) {
    const TimeDelta gap = arrived - *last_arrived_;
    if (gap < TimeDelta::Zero()) {
      // The peer's clock was set back.
      sum_ = DataSize::Zero();
      window_ = TimeDelta::Zero();
    } else {
      window_ += gap;
      if (gap > length) {
        // A pause is not a low rate.
        sum_ = DataSize::Zero();
        window_ -= length * (window_ / length);
      }
    }
  }
  last_arrived_ = arrived;
  std::optional<double> sample;
  if (window_ >= length) {
    sample = static_cast<double>((sum_ / length).bps()) / 1000;
    window_ -= length;
    sum_ = DataSize::Zero();
  }
  sum_ += size;
  return sample;
}

void DeliveredRate::Add(Timestamp arrived, DataSize size, bool application_limited) {
  const std::optional<double> sample = UpdateWindow(arrived, size);
  if (!sample.has_value()) {
    return;
  }
  if (!kbps_.has_value()) {
    kbps_ = *sample;
    return;
  }
  const double scale = application_limited && *sample < *kbps_ ? kLimitedUncertainty : kUncertainty;
  // Relative to the estimate; at 0 nothing is known, and the sample is taken as it is.
  const double uncertainty = *kbps_ > 0 ? scale * std::abs(*kbps_ - *sample) / *kbps_ : 0;
  const double sample_variance = uncertainty * uncertainty;
  const double variance = variance_ + kDrift;
  kbps_ = (sample_variance * *kbps_ + variance * *sample) / (sample_variance + variance);
  variance_ = sample_variance * variance / (sample_variance + variance);
}

}  // namespace sluice

#include "interceptor/bwe/link_capacity.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

// At 500 kbit/s these are 14 and 35 kbit/s.
constexpr double kMinDeviation = 0.4;
constexpr double kMaxDeviation = 2.5;

DataRate FromKbps(double kbps) { return DataRate::BitsPerSec(std::llround(kbps * 1000)); }

}  // namespace

void LinkCapacity::Update(DataRate rate, double weight) {
  const double sample = static_cast<double>(rate.bps()) / 1000;
  kbps_ = kbps_.has_value() ? (1 - weight) * *kbps_ + weight * sample : sample;
  // Rates near 0 do not divide.
  const double norm = std::max(*kbps_, 1.0);
  const double error = *kbps_ - sample;
  deviation_ = std::clamp((1 - weight) * deviation_ + weight * error * error / norm, kMinDeviation,
                          kMaxDeviation);
}

double LinkCapacity::DeviationKbps() const { return std::sqrt(deviation_ * *kbps_); }

std::optional<DataRate> LinkCapacity::estimate() const {
  return kbps_.has_value() ? std::optional(FromKbps(*kbps_)) : std::nullopt;
}

DataRate LinkCapacity::UpperBound() const {
  return kbps_.has_value() ? FromKbps(*kbps_ + 3 * DeviationKbps()) : DataRate::PlusInfinity();
}

DataRate LinkCapacity::LowerBound() const {
  return kbps_.has_value() ? FromKbps(std::max(0.0, *kbps_ - 3 * DeviationKbps()))
                           : DataRate::Zero();
}

}  // namespace sluice

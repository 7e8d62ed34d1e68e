#include "interceptor/stats/e_model.h"

#include <algorithm>

namespace sluice {
namespace {

// R without delay and loss, all else at its default (ITU-T G.107 section 7.7).
constexpr double kUnimpaired = 93.2;
// The worst that loss can do: 95 of R.
constexpr double kMaxEquipment = 95;
// Id as a function of delay alone, with echo cancelled: a little for each millisecond, more beyond
// what a conversation takes without notice (Cole and Rosenbluth, "Voice over IP performance
// monitoring", 2001).
constexpr double kPerMillisecond = 0.024;
constexpr double kPerNoticedMillisecond = 0.11;
constexpr double kNoticedMilliseconds = 177.3;
// Nobody talks like that, and the formula is straight from there on.
constexpr double kLongestMilliseconds = 10'000;
// So that a codec's zero does not divide.
constexpr double kLeastRobustness = 0.1;

}  // namespace

double TransmissionRating(const NetworkImpairment& network, const CodecImpairment& codec) {
  const double ms =
      std::clamp(static_cast<double>(network.one_way_delay.us()) / 1000, 0.0, kLongestMilliseconds);
  const double delay_impairment =
      kPerMillisecond * ms + kPerNoticedMillisecond * std::max(ms - kNoticedMilliseconds, 0.0);
  const double loss_percent = std::clamp(network.loss, 0.0, 1.0) * 100;
  const double equipment = std::clamp(codec.equipment, 0.0, kMaxEquipment);
  const double robustness = std::max(codec.loss_robustness, kLeastRobustness);
  // ITU-T G.107 section 7.5.
  const double loss_impairment =
      equipment + (kMaxEquipment - equipment) * loss_percent /
                      (loss_percent / std::max(network.burst_ratio, 1.0) + robustness);
  return std::clamp(kUnimpaired - delay_impairment - loss_impairment, 0.0, 100.0);
}

double MeanOpinionScore(double rating) {
  const double r = std::clamp(rating, 0.0, 100.0);
  // Below 6.5 the cubic runs under 1.
  return std::clamp(1 + 0.035 * r + 7e-6 * r * (r - 60) * (100 - r), 1.0, 4.5);
}

}  // namespace sluice

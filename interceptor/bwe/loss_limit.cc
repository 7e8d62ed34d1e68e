#include "interceptor/bwe/loss_limit.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

// An observation covers so much of sending, and counts so much less than the next one.
constexpr TimeDelta kObservation = TimeDelta::Millis(250);
constexpr double kAging = 0.9;

// Candidates, of the limit so far.
constexpr double kCandidates[] = {1.02, 1.0, 0.95};

// What a path may lose by itself: at least a little, so that one loss is no proof of a full queue;
// at most an amount that falls with the rate, because links of high rate are good ones.
constexpr double kMinInherentLoss = 1e-3;
constexpr double kMaxInherentLossOffset = 0.05;
constexpr double kMaxInherentLossBalanceKbps = 75;
// One step of Newton's method, not taken in full: it starts where the last one ended.
constexpr double kNewtonStep = 0.75;

// How much a higher rate is preferred, per kbit/s and per logarithm of it; the preference turns
// round where the losses are above the threshold.
constexpr double kRatePreference = 0.0002;
constexpr double kLogRatePreference = 0.02;
constexpr double kPreferenceThreshold = 0.15;
constexpr double kPreferenceSmoothing = 0.002;

// With average losses above the offset, no rate above balance / (loss - offset) is believed.
constexpr double kUpperBoundOffset = 0.05;
constexpr double kUpperBoundBalanceKbps = 75;

// Once losses lowered the limit, it does not rise by more than this for a while.
constexpr TimeDelta kBoundedTime = TimeDelta::Seconds(1);
constexpr int64_t kBoundPercent = 130;

// Probabilities stay away from 0 and 1, which no observation could be reconciled with.
constexpr double kMinProbability = 1e-6;

double Kbps(DataRate rate) { return static_cast<double>(rate.bps()) / 1000; }
DataRate FromKbps(double kbps) { return DataRate::BitsPerSec(std::llround(kbps * 1000)); }

double MaxInherentLoss(double kbps) {
  return kbps <= 0 ? 1.0
                   : std::min(kMaxInherentLossOffset + kMaxInherentLossBalanceKbps / kbps, 1.0);
}

// Of packets sent at `sent_kbps`.
double LossProbability(double inherent_loss, double kbps, double sent_kbps) {
  double probability = inherent_loss;
  if (sent_kbps > kbps) {
    probability += (1 - inherent_loss) * (sent_kbps - kbps) / sent_kbps;
  }
  return std::clamp(probability, kMinProbability, 1 - kMinProbability);
}

double Preference(double factor, double loss) {
  const double distance = kPreferenceThreshold - loss;
  return factor * distance / (kPreferenceSmoothing + std::abs(distance));
}

}  // namespace

DataRate LossLimit::Clamp(DataRate rate) const { return std::clamp(rate, min_, max_); }

void LossLimit::SetLimit(DataRate limit) { limit_ = Clamp(limit); }

void LossLimit::Add(const PacketReport& packet) {
  if (packet.arrived.IsFinite()) {
    received_ += 1;
  } else {
    lost_ += 1;
  }
  size_ += packet.size;
  if (!begin_sent_.has_value()) {
    begin_sent_ = packet.sent;
  }
  last_sent_ = std::max(last_sent_, packet.sent);
}

bool LossLimit::FinishObservation() {
  if (!begin_sent_.has_value() || last_sent_ - *begin_sent_ < kObservation) {
    return false;
  }
  for (size_t i = 0; i < observation_count_; ++i) {
    observations_[i].weight *= kAging;
  }
  const double kbps = Kbps(size_ / (last_sent_ - *begin_sent_));
  observations_[next_observation_] = {kbps, received_, lost_, 1.0};
  next_observation_ = (next_observation_ + 1) % kWindow;
  observation_count_ = std::min(observation_count_ + 1, kWindow);
  received_ = 0;
  lost_ = 0;
  size_ = DataSize::Zero();
  begin_sent_ = last_sent_;
  return true;
}

double LossLimit::AverageLoss() const {
  double lost = 0;
  double all = 0;
  for (size_t i = 0; i < observation_count_; ++i) {
    const Observation& seen = observations_[i];
    lost += seen.weight * seen.lost;
    all += seen.weight * (seen.lost + seen.received);
  }
  return all > 0 ? lost / all : 0;
}

double LossLimit::FitInherentLoss(double kbps) const {
  double first = 0;
  double second = 0;
  for (size_t i = 0; i < observation_count_; ++i) {
    const Observation& seen = observations_[i];
    const double p = LossProbability(inherent_loss_, kbps, seen.kbps);
    first += seen.weight * (seen.lost / p - seen.received / (1 - p));
    second -= seen.weight * (seen.lost / (p * p) + seen.received / ((1 - p) * (1 - p)));
  }
  const double loss = second < 0 ? inherent_loss_ - kNewtonStep * first / second : inherent_loss_;
  return std::clamp(loss, kMinInherentLoss, MaxInherentLoss(kbps));
}

double LossLimit::Objective(const Model& model, double average_loss) const {
  const double preference = Preference(kRatePreference, average_loss) * model.kbps +
                            Preference(kLogRatePreference, average_loss) * std::log1p(model.kbps);
  double objective = 0;
  for (size_t i = 0; i < observation_count_; ++i) {
    const Observation& seen = observations_[i];
    const double p = LossProbability(model.inherent_loss, model.kbps, seen.kbps);
    objective += seen.weight * (seen.lost * std::log(p) + seen.received * std::log1p(-p) +
                                preference * (seen.lost + seen.received));
  }
  return objective;
}

LossLimit::Model LossLimit::BestModel(double delay_kbps,
                                      std::optional<double> delivered_kbps) const {
  const double average_loss = AverageLoss();
  Model best = {0, inherent_loss_};
  std::optional<double> best_objective;
  const auto offer = [&](double kbps) {
    const Model model = {kbps, FitInherentLoss(kbps)};
    const double objective = Objective(model, average_loss);
    if (!best_objective.has_value() || objective > *best_objective) {
      best = model;
      best_objective = objective;
    }
  };
  const double kbps = Kbps(limit_);
  for (const double factor : kCandidates) {
    offer(kbps * factor);
  }
  if (delivered_kbps.has_value() && *delivered_kbps < kbps) {
    offer(*delivered_kbps);
  }
  if (delay_kbps > kbps) {
    offer(delay_kbps);
  }
  if (average_loss > kUpperBoundOffset) {
    best.kbps = std::min(best.kbps, kUpperBoundBalanceKbps / (average_loss - kUpperBoundOffset));
  }
  return best;
}

DataRate LossLimit::Update(Timestamp now, DataRate delay_based, std::optional<DataRate> delivered) {
  if (FinishObservation()) {
    const std::optional<double> delivered_kbps =
        delivered.has_value() ? std::optional(Kbps(*delivered)) : std::nullopt;
    const Model best = BestModel(Kbps(delay_based), delivered_kbps);
    inherent_loss_ = best.inherent_loss;
    const DataRate rate = FromKbps(best.kbps);
    if (rate < limit_) {
      bounded_until_ = now + kBoundedTime;
      bound_ = DataRate::BitsPerSec((rate * kBoundPercent).bps() / 100);
    }
    limit_ = Clamp(now < bounded_until_ ? std::min(rate, bound_) : rate);
    // What nobody sends says nothing of losses.
    limit_ = std::min(limit_, Clamp(delay_based));
  }
  if (lost_ == 0 && AverageLoss() == 0) {
    // Nothing was lost for as long as is remembered.
    limit_ = Clamp(delay_based);
  }
  return limit_;
}

}  // namespace sluice

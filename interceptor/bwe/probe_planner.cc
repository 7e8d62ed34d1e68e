#include "interceptor/bwe/probe_planner.h"

#include <algorithm>

namespace sluice {
namespace {

// Long enough for packets to be spaced, short enough for any queue.
constexpr TimeDelta kDuration = TimeDelta::Millis(15);
// At the start two probes, of the start rate.
constexpr int64_t kFirstFactor = 3;
constexpr int64_t kSecondFactor = 6;
// An estimate of more than this of the last probe is worth another one at twice the estimate.
constexpr int64_t kFurtherPercent = 70;
constexpr int64_t kFurtherFactor = 2;
// A probe that is not answered by then will not be.
constexpr TimeDelta kMaxWait = TimeDelta::Seconds(1);
// While there is little to send, how often is tried for how much more.
constexpr TimeDelta kLimitedInterval = TimeDelta::Seconds(5);
constexpr int64_t kLimitedFactor = 2;
// An estimate that falls below this of what it was is a drop; a probe for most of what it was may
// follow when the path recovers within a while, where there was too little to send to find out by
// itself.
constexpr int64_t kDropPercent = 66;
constexpr int64_t kRecoveryPercent = 85;
constexpr TimeDelta kRecoveryTime = TimeDelta::Seconds(5);
constexpr TimeDelta kLimitedBefore = TimeDelta::Seconds(3);

DataRate Percent(DataRate rate, int64_t percent) {
  return DataRate::BitsPerSec((rate * percent).bps() / 100);
}

}  // namespace

void ProbePlanner::Plan(Timestamp now, DataRate rate, ProbeList& list) {
  rate = std::min(rate, max_);
  // 0 names no probe.
  last_cluster_ = std::max<uint32_t>(last_cluster_ + 1, 1);
  list.Add({last_cluster_, rate, kDuration});
  last_probe_ = now;
  // At the limit there is nothing further to find.
  further_above_ = rate == max_ ? DataRate::PlusInfinity() : Percent(rate, kFurtherPercent);
}

ProbeList ProbePlanner::OnStart(Timestamp now, DataRate start) {
  ProbeList list;
  estimate_ = start;
  if (start < max_) {
    Plan(now, start * kFirstFactor, list);
    if (start * kFirstFactor < max_) {
      Plan(now, start * kSecondFactor, list);
    }
    state_ = State::kWaiting;
  } else {
    state_ = State::kDone;
  }
  return list;
}

ProbeList ProbePlanner::OnEstimate(Timestamp now, DataRate estimate) {
  ProbeList list;
  if (estimate < Percent(estimate_, kDropPercent)) {
    last_drop_ = now;
    before_drop_ = estimate_;
  }
  estimate_ = estimate;
  if (state_ == State::kWaiting && estimate > further_above_) {
    Plan(now, estimate * kFurtherFactor, list);
  }
  return list;
}

ProbeList ProbePlanner::OnRecovered(Timestamp now, const ApplicationLimit& limit) {
  ProbeList list;
  const bool was_limited =
      limit.limited() || (limit.ended().has_value() && now - *limit.ended() < kLimitedBefore);
  const DataRate rate = Percent(before_drop_, kRecoveryPercent);
  if (state_ == State::kDone && was_limited && now - last_drop_ < kRecoveryTime &&
      now - last_recovery_probe_ >= kRecoveryTime && estimate_ < rate) {
    last_recovery_probe_ = now;
    Plan(now, rate, list);
  }
  return list;
}

ProbeList ProbePlanner::OnTimeout(Timestamp now, const ApplicationLimit& limit) {
  ProbeList list;
  if (state_ == State::kWaiting && now - last_probe_ > kMaxWait) {
    state_ = State::kDone;
    further_above_ = DataRate::PlusInfinity();
  }
  if (state_ == State::kDone && limit.limited() && estimate_ < max_ &&
      now >= std::max(*limit.since(), last_probe_) + kLimitedInterval) {
    Plan(now, estimate_ * kLimitedFactor, list);
    // What it shows may be worth a further one.
    state_ = State::kWaiting;
  }
  return list;
}

}  // namespace sluice

#include "tests/sim/rate_trace.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace sluice {

const RateSample& RateTrace::At(Timestamp at) const {
  const auto found =
      std::lower_bound(samples_.begin(), samples_.end(), at,
                       [](const RateSample& sample, Timestamp time) { return sample.at < time; });
  SLUICE_CHECK(found != samples_.end());
  return *found;
}

std::optional<Timestamp> RateTrace::First(
    Timestamp from, const std::function<bool(const RateSample&)>& matches) const {
  for (const RateSample& sample : samples_) {
    if (sample.at >= from && matches(sample)) {
      return sample.at;
    }
  }
  return std::nullopt;
}

DataRate RateTrace::Received(size_t flow, Timestamp from, Timestamp to) const {
  return (At(to).received[flow] - At(from).received[flow]) / (to - from);
}

std::optional<Timestamp> RateTrace::ReceivedAtLeast(size_t flow, DataRate rate,
                                                    Timestamp from) const {
  constexpr TimeDelta kSecond = TimeDelta::Seconds(1);
  return First(from + kSecond, [&](const RateSample& sample) {
    return Received(flow, sample.at - kSecond, sample.at) >= rate;
  });
}

std::optional<Timestamp> RateTrace::TargetAtMost(size_t flow, DataRate rate, Timestamp from) const {
  return First(from, [&](const RateSample& sample) { return sample.targets[flow] <= rate; });
}

DataRate RateTrace::HighestTarget(size_t flow, Timestamp from) const {
  DataRate highest = DataRate::Zero();
  for (const RateSample& sample : samples_) {
    if (sample.at >= from) {
      highest = std::max(highest, sample.targets[flow]);
    }
  }
  return highest;
}

std::optional<Timestamp> RateTrace::QueueAtMost(TimeDelta queue, Timestamp from) const {
  return First(from, [&](const RateSample& sample) { return sample.queue <= queue; });
}

std::vector<TimeDelta> RateTrace::Queues(Timestamp from, Timestamp to) const {
  std::vector<TimeDelta> queues;
  for (const RateSample& sample : samples_) {
    if (sample.at >= from && sample.at < to) {
      queues.push_back(sample.queue);
    }
  }
  SLUICE_CHECK(!queues.empty());
  return queues;
}

TimeDelta RateTrace::MeanQueue(Timestamp from, Timestamp to) const {
  const std::vector<TimeDelta> queues = Queues(from, to);
  TimeDelta sum = TimeDelta::Zero();
  for (const TimeDelta queue : queues) {
    sum += queue;
  }
  return sum / static_cast<int64_t>(queues.size());
}

TimeDelta RateTrace::QueuePercentile(size_t percent, Timestamp from, Timestamp to) const {
  std::vector<TimeDelta> queues = Queues(from, to);
  std::sort(queues.begin(), queues.end());
  return queues[(queues.size() - 1) * percent / 100];
}

TimeDelta RateTrace::StandingQueue(Timestamp from, Timestamp to) const {
  TimeDelta longest = TimeDelta::Zero();
  for (Timestamp begin = from; begin < to; begin += TimeDelta::Seconds(1)) {
    const std::vector<TimeDelta> queues = Queues(begin, begin + TimeDelta::Seconds(1));
    longest = std::max(longest, *std::min_element(queues.begin(), queues.end()));
  }
  return longest;
}

}  // namespace sluice

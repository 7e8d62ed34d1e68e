#ifndef TESTS_SIM_RATE_TRACE_H_
#define TESTS_SIM_RATE_TRACE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// What one moment of a simulation looked like.
struct RateSample {
  Timestamp at;
  // In front of the bottleneck.
  TimeDelta queue;
  // By flow: what it may send, and what it has received since the beginning.
  std::vector<DataRate> targets;
  std::vector<DataSize> received;
};

// A simulation, looked at afterwards. Intervals have both ends in the simulation, `from` < `to`.
class RateTrace {
 public:
  // In order of time.
  void Add(RateSample sample) { samples_.push_back(std::move(sample)); }

  // At what rate a flow received.
  DataRate Received(size_t flow, Timestamp from, Timestamp to) const;
  // From `from` on, when a flow had for the first time received at least `rate` for a second: the
  // end of that second. Nothing when it never did.
  std::optional<Timestamp> ReceivedAtLeast(size_t flow, DataRate rate, Timestamp from) const;
  // From `from` on, when the flow's target was first at most `rate`.
  std::optional<Timestamp> TargetAtMost(size_t flow, DataRate rate, Timestamp from) const;
  // From `from` on.
  DataRate HighestTarget(size_t flow, Timestamp from) const;
  // From `from` on, when the queue was first at most `queue`.
  std::optional<Timestamp> QueueAtMost(TimeDelta queue, Timestamp from) const;
  TimeDelta MeanQueue(Timestamp from, Timestamp to) const;
  // `percent` of the time the queue was not longer.
  TimeDelta QueuePercentile(size_t percent, Timestamp from, Timestamp to) const;
  // What does not drain within a second: the longest of the shortest queues of each second.
  TimeDelta StandingQueue(Timestamp from, Timestamp to) const;

 private:
  // The first sample at `at` or later; there is one.
  const RateSample& At(Timestamp at) const;
  std::optional<Timestamp> First(Timestamp from,
                                 const std::function<bool(const RateSample&)>& matches) const;
  std::vector<TimeDelta> Queues(Timestamp from, Timestamp to) const;

  std::vector<RateSample> samples_;
};

}  // namespace sluice

#endif  // TESTS_SIM_RATE_TRACE_H_

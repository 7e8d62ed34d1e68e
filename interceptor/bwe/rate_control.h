#ifndef INTERCEPTOR_BWE_RATE_CONTROL_H_
#define INTERCEPTOR_BWE_RATE_CONTROL_H_

#include <cstdint>
#include <optional>

#include "base/data_rate.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/bwe/delay_trend.h"
#include "interceptor/bwe/link_capacity.h"

namespace sluice {

// The rate that delay allows: grows while the path is normal, falls when it is overused, waits
// while its queue drains (draft-ietf-rmcat-gcc-02 section 5.5). Grows by a share far from where the
// path was full, and by a packet per round trip near there. One thread.
class RateControl {
 public:
  // min <= start <= max.
  RateControl(DataRate min, DataRate start, DataRate max)
      : min_(min), max_(max), estimate_(start) {}

  // `delivered`: at what rate packets arrive, where that is known. `application_limited`: less is
  // sent than could be, and what was not tried is not claimed. Returns the estimate.
  DataRate Update(Timestamp now, PathUsage usage, std::optional<DataRate> delivered,
                  bool application_limited);

  // Another way showed what the path carries: a probe, or that nothing comes back.
  void SetEstimate(Timestamp now, DataRate estimate);
  void OnProbe(Timestamp now, DataRate rate);
  void SetRoundTrip(TimeDelta round_trip) { round_trip_ = round_trip; }

  DataRate estimate() const { return estimate_; }

 private:
  enum class State : uint8_t { kHold, kIncrease, kDecrease };

  // Overuse soon after the last decrease is still the same one.
  bool MayDecrease(Timestamp now, std::optional<DataRate> delivered) const;
  void Increase(Timestamp now, std::optional<DataRate> delivered, bool application_limited);
  void Decrease(Timestamp now, std::optional<DataRate> delivered);
  DataRate Clamp(DataRate rate) const;
  // What a packet more per round trip is, per second.
  DataRate StepPerSecond() const;

  const DataRate min_;
  const DataRate max_;
  DataRate estimate_;
  State state_ = State::kHold;
  LinkCapacity capacity_;
  std::optional<Timestamp> last_change_;
  std::optional<Timestamp> last_decrease_;
  // Until one is measured.
  TimeDelta round_trip_ = TimeDelta::Millis(200);
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_RATE_CONTROL_H_

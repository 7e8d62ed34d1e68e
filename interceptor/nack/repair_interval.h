#ifndef INTERCEPTOR_NACK_REPAIR_INTERVAL_H_
#define INTERCEPTOR_NACK_REPAIR_INTERVAL_H_

#include <algorithm>

#include "base/time_delta.h"

namespace sluice {

// How long a request for a packet and its answer are under way: what keeps a packet from being
// asked for, or repeated, twice for the same reason. A value.
class RepairInterval {
 public:
  // Reports of the peer are part of the measurement: whatever they say, repair goes on, and not in
  // a loop.
  static constexpr TimeDelta kMin = TimeDelta::Millis(5);
  static constexpr TimeDelta kMax = TimeDelta::Seconds(1);

  // `initial` is assumed until something was measured.
  explicit RepairInterval(TimeDelta initial) : round_trip_(Clamp(initial)) {}

  void Measure(TimeDelta round_trip) { round_trip_ = Clamp(round_trip); }

  TimeDelta round_trip() const { return round_trip_; }
  // How long to wait for an answer before asking again: an eighth more than a round trip, for an
  // answer that was a little slower.
  TimeDelta ask_again() const { return round_trip_ + round_trip_ / 8; }
  // How long a further request is about what was repeated already: an eighth less, for a request
  // that was a little faster.
  TimeDelta repeat_again() const { return round_trip_ - round_trip_ / 8; }

 private:
  static TimeDelta Clamp(TimeDelta round_trip) { return std::clamp(round_trip, kMin, kMax); }

  TimeDelta round_trip_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_NACK_REPAIR_INTERVAL_H_

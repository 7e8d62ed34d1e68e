#ifndef BASE_TIMESTAMP_H_
#define BASE_TIMESTAMP_H_

#include <compare>
#include <cstdint>

#include "base/saturating_math.h"
#include "base/time_delta.h"

namespace sluice {

// A point on the process's monotonic time line: whole microseconds since an arbitrary origin, so it
// must not leave the process and says nothing about the wall clock. It always comes in as an
// argument; nothing outside the worker loop reads a clock.
//
// PlusInfinity() is "never" (as a next timeout), MinusInfinity() is "before everything". Arithmetic
// saturates at both (see base/saturating_math.h). There is no default value.
class Timestamp {
 public:
  Timestamp() = delete;

  static constexpr Timestamp Micros(int64_t us) { return Timestamp(us); }
  static constexpr Timestamp Millis(int64_t ms) {
    return Timestamp(saturating::Multiply(ms, 1'000));
  }
  static constexpr Timestamp Seconds(int64_t s) {
    return Timestamp(saturating::Multiply(s, 1'000'000));
  }
  static constexpr Timestamp Zero() { return Timestamp(0); }
  static constexpr Timestamp PlusInfinity() { return Timestamp(saturating::kPlusInfinity); }
  static constexpr Timestamp MinusInfinity() { return Timestamp(saturating::kMinusInfinity); }

  // Microseconds since the origin; the extreme int64_t when infinite.
  constexpr int64_t us() const { return us_; }
  constexpr bool IsFinite() const { return saturating::IsFinite(us_); }

  friend constexpr bool operator==(Timestamp a, Timestamp b) = default;
  friend constexpr std::strong_ordering operator<=>(Timestamp a, Timestamp b) = default;

  friend constexpr TimeDelta operator-(Timestamp a, Timestamp b) {
    return TimeDelta::Micros(saturating::Subtract(a.us_, b.us_));
  }
  friend constexpr Timestamp operator+(Timestamp t, TimeDelta d) {
    return Timestamp(saturating::Add(t.us_, d.us()));
  }
  friend constexpr Timestamp operator+(TimeDelta d, Timestamp t) { return t + d; }
  friend constexpr Timestamp operator-(Timestamp t, TimeDelta d) {
    return Timestamp(saturating::Subtract(t.us_, d.us()));
  }
  constexpr Timestamp& operator+=(TimeDelta d) { return *this = *this + d; }
  constexpr Timestamp& operator-=(TimeDelta d) { return *this = *this - d; }

  // Prints as the TimeDelta since the origin: "20 ms", "+inf".
  template <typename Sink>
  friend void AbslStringify(Sink& sink, Timestamp t) {
    AbslStringify(sink, TimeDelta::Micros(t.us_));
  }

 private:
  constexpr explicit Timestamp(int64_t us) : us_(us) {}

  int64_t us_;
};

}  // namespace sluice

#endif  // BASE_TIMESTAMP_H_

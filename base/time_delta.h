#ifndef BASE_TIME_DELTA_H_
#define BASE_TIME_DELTA_H_

#include <compare>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/saturating_math.h"

namespace sluice {

// A span of time in whole microseconds, possibly negative, possibly infinite. 64 bits, because it
// is copied and compared per packet; absl::Duration (128 bits) is fine in configuration.
//
// Arithmetic saturates at the infinities (see base/saturating_math.h for the corner cases) and
// division truncates towards zero. There is no default value: zero must be asked for.
class TimeDelta {
 public:
  TimeDelta() = delete;

  static constexpr TimeDelta Micros(int64_t us) { return TimeDelta(us); }
  static constexpr TimeDelta Millis(int64_t ms) {
    return TimeDelta(saturating::Multiply(ms, 1'000));
  }
  static constexpr TimeDelta Seconds(int64_t s) {
    return TimeDelta(saturating::Multiply(s, 1'000'000));
  }
  static constexpr TimeDelta Minutes(int64_t min) {
    return TimeDelta(saturating::Multiply(min, 60'000'000));
  }
  static constexpr TimeDelta Zero() { return TimeDelta(0); }
  static constexpr TimeDelta PlusInfinity() { return TimeDelta(saturating::kPlusInfinity); }
  static constexpr TimeDelta MinusInfinity() { return TimeDelta(saturating::kMinusInfinity); }

  // The length in a unit, truncated towards zero. An infinity gives the extreme int64_t in any
  // unit.
  constexpr int64_t us() const { return us_; }
  constexpr int64_t ms() const { return IsFinite() ? us_ / 1'000 : us_; }
  constexpr int64_t seconds() const { return IsFinite() ? us_ / 1'000'000 : us_; }

  constexpr bool IsFinite() const { return saturating::IsFinite(us_); }
  constexpr bool IsZero() const { return us_ == 0; }

  friend constexpr bool operator==(TimeDelta a, TimeDelta b) = default;
  friend constexpr std::strong_ordering operator<=>(TimeDelta a, TimeDelta b) = default;

  friend constexpr TimeDelta operator-(TimeDelta a) { return TimeDelta(saturating::Negate(a.us_)); }
  friend constexpr TimeDelta operator+(TimeDelta a, TimeDelta b) {
    return TimeDelta(saturating::Add(a.us_, b.us_));
  }
  friend constexpr TimeDelta operator-(TimeDelta a, TimeDelta b) {
    return TimeDelta(saturating::Subtract(a.us_, b.us_));
  }
  friend constexpr TimeDelta operator*(TimeDelta a, int64_t factor) {
    return TimeDelta(saturating::Multiply(a.us_, factor));
  }
  friend constexpr TimeDelta operator*(int64_t factor, TimeDelta a) { return a * factor; }
  friend constexpr TimeDelta operator/(TimeDelta a, int64_t divisor) {
    return TimeDelta(saturating::Divide(a.us_, divisor));
  }
  // How often `b` fits into `a`, truncated towards zero.
  friend constexpr int64_t operator/(TimeDelta a, TimeDelta b) {
    return saturating::Divide(a.us_, b.us_);
  }
  constexpr TimeDelta& operator+=(TimeDelta other) { return *this = *this + other; }
  constexpr TimeDelta& operator-=(TimeDelta other) { return *this = *this - other; }

  // Prints in the largest unit that loses nothing: "3 s", "20 ms", "1500 us", "+inf", "-inf".
  template <typename Sink>
  friend void AbslStringify(Sink& sink, TimeDelta d) {
    if (!d.IsFinite()) {
      sink.Append(d.us_ > 0 ? "+inf" : "-inf");
    } else if (d.us_ % 1'000'000 == 0) {
      sink.Append(absl::StrCat(d.us_ / 1'000'000, " s"));
    } else if (d.us_ % 1'000 == 0) {
      sink.Append(absl::StrCat(d.us_ / 1'000, " ms"));
    } else {
      sink.Append(absl::StrCat(d.us_, " us"));
    }
  }

 private:
  constexpr explicit TimeDelta(int64_t us) : us_(us) {}

  int64_t us_;
};

}  // namespace sluice

#endif  // BASE_TIME_DELTA_H_

#ifndef BASE_DATA_RATE_H_
#define BASE_DATA_RATE_H_

#include <compare>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/data_size.h"
#include "base/saturating_math.h"
#include "base/time_delta.h"

namespace sluice {

// A rate in whole bits per second; infinite is "no limit". Never a double: two runs over the same
// packets must give the same numbers. Arithmetic saturates (see base/saturating_math.h). No default
// value.
class DataRate {
 public:
  DataRate() = delete;

  static constexpr DataRate BitsPerSec(int64_t bps) { return DataRate(bps); }
  // 1 kbit/s is 1000 bit/s.
  static constexpr DataRate KilobitsPerSec(int64_t kbps) {
    return DataRate(saturating::Multiply(kbps, 1'000));
  }
  static constexpr DataRate Zero() { return DataRate(0); }
  static constexpr DataRate PlusInfinity() { return DataRate(saturating::kPlusInfinity); }

  constexpr int64_t bps() const { return bps_; }
  constexpr bool IsFinite() const { return saturating::IsFinite(bps_); }
  constexpr bool IsZero() const { return bps_ == 0; }

  friend constexpr bool operator==(DataRate a, DataRate b) = default;
  friend constexpr std::strong_ordering operator<=>(DataRate a, DataRate b) = default;

  friend constexpr DataRate operator+(DataRate a, DataRate b) {
    return DataRate(saturating::Add(a.bps_, b.bps_));
  }
  friend constexpr DataRate operator-(DataRate a, DataRate b) {
    return DataRate(saturating::Subtract(a.bps_, b.bps_));
  }
  friend constexpr DataRate operator*(DataRate a, int64_t factor) {
    return DataRate(saturating::Multiply(a.bps_, factor));
  }
  friend constexpr DataRate operator*(int64_t factor, DataRate a) { return a * factor; }
  constexpr DataRate& operator+=(DataRate other) { return *this = *this + other; }
  constexpr DataRate& operator-=(DataRate other) { return *this = *this - other; }

  // Prints "2500 kbps" when that is exact, else "64001 bps"; "+inf" or "-inf".
  template <typename Sink>
  friend void AbslStringify(Sink& sink, DataRate r) {
    if (!r.IsFinite()) {
      sink.Append(r.bps_ > 0 ? "+inf" : "-inf");
    } else if (r.bps_ % 1'000 == 0) {
      sink.Append(absl::StrCat(r.bps_ / 1'000, " kbps"));
    } else {
      sink.Append(absl::StrCat(r.bps_, " bps"));
    }
  }

 private:
  constexpr explicit DataRate(int64_t bps) : bps_(bps) {}

  int64_t bps_;
};

// Bits in a byte times microseconds in a second: bytes * this / us = bits per second.
inline constexpr int64_t kBitMicrosPerByteSecond = 8'000'000;

// The three below truncate towards zero and saturate; a zero divisor gives infinity (0/0 gives 0).

// The average rate of `size` sent during `window`.
constexpr DataRate operator/(DataSize size, TimeDelta window) {
  return DataRate::BitsPerSec(
      saturating::MultiplyDivide(size.bytes(), kBitMicrosPerByteSecond, window.us()));
}

// What fits into `window` at `rate`.
constexpr DataSize operator*(DataRate rate, TimeDelta window) {
  return DataSize::Bytes(
      saturating::MultiplyDivide(rate.bps(), window.us(), kBitMicrosPerByteSecond));
}
constexpr DataSize operator*(TimeDelta window, DataRate rate) { return rate * window; }

// How long `size` takes at `rate`.
constexpr TimeDelta operator/(DataSize size, DataRate rate) {
  return TimeDelta::Micros(
      saturating::MultiplyDivide(size.bytes(), kBitMicrosPerByteSecond, rate.bps()));
}

}  // namespace sluice

#endif  // BASE_DATA_RATE_H_

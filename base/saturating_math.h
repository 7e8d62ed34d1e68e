#ifndef BASE_SATURATING_MATH_H_
#define BASE_SATURATING_MATH_H_

#include <cstdint>
#include <limits>

// The one place that knows how the unit types (TimeDelta, Timestamp, DataSize, DataRate) count:
// a signed 64-bit integer whose two extreme values mean plus and minus infinity. (The range of
// finite values has one more below zero than above: the negative of the lowest is plus infinity.)
//
//  - What does not fit becomes the infinity of its sign; nothing ever wraps.
//  - An infinity stays infinite in sums; where two opposite infinities meet, the left operand wins.
//  - Zero times anything is zero. Division truncates towards zero. Dividing by zero gives the
//    infinity of the dividend's sign, and 0 / 0 is 0: a peer's zero must not stop the process.
namespace sluice::saturating {

inline constexpr int64_t kPlusInfinity = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kMinusInfinity = std::numeric_limits<int64_t>::min();

__extension__ typedef __int128 Int128;

constexpr bool IsFinite(int64_t v) { return v != kPlusInfinity && v != kMinusInfinity; }

constexpr int64_t Clamp(Int128 v) {
  if (v >= kPlusInfinity) return kPlusInfinity;
  if (v <= kMinusInfinity) return kMinusInfinity;
  return static_cast<int64_t>(v);
}

constexpr int64_t Negate(int64_t v) {
  if (v == kPlusInfinity) return kMinusInfinity;
  if (v == kMinusInfinity) return kPlusInfinity;
  return -v;
}

constexpr int64_t Add(int64_t a, int64_t b) {
  if (!IsFinite(a)) return a;
  if (!IsFinite(b)) return b;
  return Clamp(static_cast<Int128>(a) + b);
}

constexpr int64_t Subtract(int64_t a, int64_t b) {
  if (!IsFinite(a)) return a;
  if (!IsFinite(b)) return Negate(b);
  return Clamp(static_cast<Int128>(a) - b);
}

constexpr int64_t Multiply(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (!IsFinite(a) || !IsFinite(b)) return (a > 0) == (b > 0) ? kPlusInfinity : kMinusInfinity;
  return Clamp(static_cast<Int128>(a) * b);
}

// a * multiplier / divisor, without overflow in the middle.
constexpr int64_t MultiplyDivide(int64_t a, int64_t multiplier, int64_t divisor) {
  const bool negative = ((a < 0) != (multiplier < 0)) != (divisor < 0);
  const int64_t infinity = negative ? kMinusInfinity : kPlusInfinity;
  if (a == 0 || multiplier == 0) return 0;
  if (!IsFinite(a) || !IsFinite(multiplier)) return infinity;
  if (divisor == 0) return infinity;
  if (!IsFinite(divisor)) return 0;
  return Clamp(static_cast<Int128>(a) * multiplier / divisor);
}

constexpr int64_t Divide(int64_t a, int64_t b) { return MultiplyDivide(a, 1, b); }

}  // namespace sluice::saturating

#endif  // BASE_SATURATING_MATH_H_

#ifndef BASE_STRONG_INT_H_
#define BASE_STRONG_INT_H_

#include <compare>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace sluice {

// An integer with a meaning: an SSRC is not a sequence number although both are numbers.
//
//   using Ssrc = StrongInt<struct SsrcTag, uint32_t>;
//
// There is no default value, no arithmetic and no ordering: most identifiers of the wire are either
// opaque or wrap around, and `<` on a number that wraps is a bug. Use OrderedStrongInt for ids that
// do not wrap, and SequenceUnwrapper for sequence numbers. Hashable and printable with Abseil.
template <typename Tag, typename T>
class StrongInt {
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>, "StrongInt holds an integer");

 public:
  using ValueType = T;

  constexpr explicit StrongInt(T value) : value_(value) {}

  constexpr T value() const { return value_; }

  friend constexpr bool operator==(StrongInt a, StrongInt b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(StrongInt a, StrongInt b) { return a.value_ != b.value_; }

  template <typename H>
  friend H AbslHashValue(H state, const StrongInt& v) {
    return H::combine(std::move(state), v.value_);
  }

  // Prints the bare number, also for 8-bit types.
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const StrongInt& v) {
    sink.Append(absl::StrCat(+v.value_));
  }

 private:
  T value_;
};

// A StrongInt whose values never wrap and may therefore be ordered: a counter of events, an id
// handed out in sequence, an unwrapped index. Still no arithmetic.
template <typename Tag, typename T>
class OrderedStrongInt : public StrongInt<Tag, T> {
 public:
  using StrongInt<Tag, T>::StrongInt;

  friend constexpr bool operator==(OrderedStrongInt a, OrderedStrongInt b) {
    return a.value() == b.value();
  }
  friend constexpr std::strong_ordering operator<=>(OrderedStrongInt a, OrderedStrongInt b) {
    return a.value() <=> b.value();
  }
};

}  // namespace sluice

#endif  // BASE_STRONG_INT_H_

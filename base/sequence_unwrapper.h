#ifndef BASE_SEQUENCE_UNWRAPPER_H_
#define BASE_SEQUENCE_UNWRAPPER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace sluice {

// Turns a wire number that wraps (16-bit sequence numbers, 32-bit timestamps) into an int64_t that
// does not, so that it may be ordered and subtracted. Each value is placed nearest to the last one
// given to Unwrap; exactly half of the range away counts as forward. The first value stands for
// itself, so a reordered packet right after it may be negative.
//
// The last value follows the packets in both directions: unwrap only what is authenticated, and use
// Peek for what is not.
template <typename T>
class SequenceUnwrapper {
  static_assert(std::is_unsigned_v<T> && sizeof(T) <= 4, "needs headroom in 64 bits");

 public:
  // Places `value` and remembers the result as the last one.
  constexpr int64_t Unwrap(T value) {
    const int64_t unwrapped = Peek(value);
    last_ = unwrapped;
    return unwrapped;
  }

  // What Unwrap would return, remembering nothing.
  constexpr int64_t Peek(T value) const {
    if (!last_.has_value()) return value;
    constexpr int64_t kRange = int64_t{std::numeric_limits<T>::max()} + 1;
    // The distance forward, modulo the range.
    const int64_t forward = static_cast<T>(value - static_cast<T>(*last_));
    return *last_ + (forward <= kRange / 2 ? forward : forward - kRange);
  }

  // The result of the last Unwrap, nothing before the first.
  constexpr std::optional<int64_t> last() const { return last_; }

 private:
  std::optional<int64_t> last_;
};

}  // namespace sluice

#endif  // BASE_SEQUENCE_UNWRAPPER_H_

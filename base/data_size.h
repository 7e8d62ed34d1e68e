#ifndef BASE_DATA_SIZE_H_
#define BASE_DATA_SIZE_H_

#include <compare>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/saturating_math.h"

namespace sluice {

// An amount of data in whole bytes. Signed, so that a difference (a budget overdrawn) is a value
// too; infinite is "no limit". Arithmetic saturates (see base/saturating_math.h). No default value.
class DataSize {
 public:
  DataSize() = delete;

  static constexpr DataSize Bytes(int64_t bytes) { return DataSize(bytes); }
  static constexpr DataSize Zero() { return DataSize(0); }
  static constexpr DataSize PlusInfinity() { return DataSize(saturating::kPlusInfinity); }

  constexpr int64_t bytes() const { return bytes_; }
  constexpr bool IsFinite() const { return saturating::IsFinite(bytes_); }
  constexpr bool IsZero() const { return bytes_ == 0; }

  friend constexpr bool operator==(DataSize a, DataSize b) = default;
  friend constexpr std::strong_ordering operator<=>(DataSize a, DataSize b) = default;

  friend constexpr DataSize operator+(DataSize a, DataSize b) {
    return DataSize(saturating::Add(a.bytes_, b.bytes_));
  }
  friend constexpr DataSize operator-(DataSize a, DataSize b) {
    return DataSize(saturating::Subtract(a.bytes_, b.bytes_));
  }
  friend constexpr DataSize operator*(DataSize a, int64_t factor) {
    return DataSize(saturating::Multiply(a.bytes_, factor));
  }
  friend constexpr DataSize operator*(int64_t factor, DataSize a) { return a * factor; }
  constexpr DataSize& operator+=(DataSize other) { return *this = *this + other; }
  constexpr DataSize& operator-=(DataSize other) { return *this = *this - other; }

  // Prints "1200 bytes", "+inf" or "-inf".
  template <typename Sink>
  friend void AbslStringify(Sink& sink, DataSize s) {
    if (!s.IsFinite()) {
      sink.Append(s.bytes_ > 0 ? "+inf" : "-inf");
    } else {
      sink.Append(absl::StrCat(s.bytes_, " bytes"));
    }
  }

 private:
  constexpr explicit DataSize(int64_t bytes) : bytes_(bytes) {}

  int64_t bytes_;
};

}  // namespace sluice

#endif  // BASE_DATA_SIZE_H_

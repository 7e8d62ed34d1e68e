#ifndef QUIC_CODEC_VARINT_H_
#define QUIC_CODEC_VARINT_H_

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {

// Variable-length integers (RFC 9000 section 16): up to 62 bits in 1, 2, 4 or 8 bytes, big endian;
// the two highest bits of the first byte are the logarithm of the size. Written in the shortest
// form, read in any. All of it is constexpr and allocates nothing.

inline constexpr uint64_t kMaxVarint = (uint64_t{1} << 62) - 1;
inline constexpr size_t kMaxVarintSize = 8;

namespace varint_internal {

// How a value is written, by the place of its highest bit (Table 4 of RFC 9000). Loads are cheaper
// than shifts by a number that is not known. Has places for bits that no varint has, so that no
// value can read beyond it.
struct Forms {
  // What moves the value to the front of a 64-bit word.
  std::array<uint64_t, 64> scale{};
  // The logarithm of the size at the front of that word.
  std::array<uint64_t, 64> prefix{};
  std::array<uint8_t, 64> size{};
};
inline constexpr Forms kForms = [] {
  Forms forms;
  for (size_t bit = 0; bit < 64; ++bit) {
    const size_t log2 = bit < 6 ? 0 : bit < 14 ? 1 : bit < 30 ? 2 : 3;
    forms.size[bit] = static_cast<uint8_t>(1 << log2);
    forms.scale[bit] = uint64_t{1} << (64 - 8 * forms.size[bit]);
    forms.prefix[bit] = uint64_t{log2} << 62;
  }
  return forms;
}();

}  // namespace varint_internal

// A number that a varint can hold. Making one can fail, writing it cannot.
class Varint {
 public:
  // Nothing when `value` is above kMaxVarint.
  static constexpr std::optional<Varint> From(uint64_t value) {
    if (value > kMaxVarint) return std::nullopt;
    return Varint(value);
  }
  // `value` is known to be at most kMaxVarint; it would lose its two highest bits on the wire.
  static constexpr Varint Trusted(uint64_t value) {
    SLUICE_DCHECK(value <= kMaxVarint);
    return Varint(value);
  }

  constexpr uint64_t value() const { return value_; }

  // Bytes of the shortest form: 1, 2, 4 or 8.
  constexpr size_t size() const { return varint_internal::kForms.size[highest_bit()]; }

  // Writes the shortest form and returns its size. `to` has room for kMaxVarintSize bytes, whatever
  // the value: those behind the returned size become zeros. That makes it one store without a
  // branch.
  constexpr size_t StoreTo(uint8_t* to) const {
    const size_t bit = highest_bit();
    StoreBe64(to,
              value_ * varint_internal::kForms.scale[bit] | varint_internal::kForms.prefix[bit]);
    return varint_internal::kForms.size[bit];
  }

  friend constexpr bool operator==(Varint a, Varint b) = default;
  friend constexpr std::strong_ordering operator<=>(Varint a, Varint b) = default;

 private:
  constexpr explicit Varint(uint64_t value) : value_(value) {}

  // Zero is as short as one, and has no highest bit.
  constexpr size_t highest_bit() const {
    return static_cast<size_t>(std::countl_zero(value_ | 1)) ^ 63;
  }

  uint64_t value_;
};

// Bytes of the shortest form of `value`, which is at most kMaxVarint.
constexpr size_t VarintSize(uint64_t value) { return Varint::Trusted(value).size(); }

// Writes to the front of `rest` and cuts off what was written. False, and nothing happens, for lack
// of room.
[[nodiscard]] constexpr bool WriteVarint(absl::Span<uint8_t>& rest, Varint value) {
  std::array<uint8_t, kMaxVarintSize> bytes{};
  const size_t size = value.StoreTo(bytes.data());
  if (rest.size() < size) return false;
  std::copy_n(bytes.begin(), size, rest.begin());
  rest = rest.subspan(size);
  return true;
}

// Reads from the front of `rest`, in whatever form it is, and cuts off what was read. False, and
// nothing happens, when `rest` ends too early.
[[nodiscard]] constexpr bool ReadVarint(absl::Span<const uint8_t>& rest, uint64_t& out) {
  if (rest.empty()) return false;
  const uint8_t first = rest[0];
  if (first < 0x40) {  // Most are this short.
    out = first;
    rest = rest.subspan(1);
    return true;
  }
  const size_t log2 = first >> 6;
  const size_t size = size_t{1} << log2;
  if (rest.size() < size) return false;
  switch (log2) {
    case 1:
      out = LoadBe16(rest.data()) & 0x3FFFu;
      break;
    case 2:
      out = LoadBe32(rest.data()) & 0x3FFF'FFFFu;
      break;
    default:
      out = LoadBe64(rest.data()) & kMaxVarint;
  }
  rest = rest.subspan(size);
  return true;
}

// Reads a number that is known to have `size` bytes at the front of `bytes`, which has at least as
// many: false, and nothing happens, when it has another size. Takes no branch that depends on the
// number as long as kMaxVarintSize bytes are there.
[[nodiscard]] constexpr bool ReadVarintOfSize(absl::Span<const uint8_t> bytes, size_t size,
                                              uint64_t& out) {
  constexpr uint32_t kShifts = 56 | 48 << 8 | 32 << 16;
  if (size == 0) return false;
  const size_t log2 = bytes[0] >> 6;
  if (size != size_t{1} << log2) return false;
  if (bytes.size() < kMaxVarintSize) {
    bytes = bytes.first(size);
    return ReadVarint(bytes, out);
  }
  out = (LoadBe64(bytes.data()) & kMaxVarint) >> (kShifts >> 8 * log2 & 0xFF);
  return true;
}

}  // namespace sluice

#endif  // QUIC_CODEC_VARINT_H_

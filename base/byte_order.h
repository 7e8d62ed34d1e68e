#ifndef BASE_BYTE_ORDER_H_
#define BASE_BYTE_ORDER_H_

#include <cstdint>
#include <cstring>

#include "absl/types/span.h"
#include "base/check.h"

namespace sluice {

// Big-endian ("network order") loads and stores at any alignment. The caller vouches that the bytes
// exist; prefer FixedReader, ByteReader and ByteWriter, which check. Compilers turn each into one
// move and one byte swap.

constexpr uint16_t LoadBe16(const uint8_t* from) {
  return static_cast<uint16_t>((from[0] << 8) | from[1]);
}
constexpr uint32_t LoadBe24(const uint8_t* from) {
  return (uint32_t{from[0]} << 16) | (uint32_t{from[1]} << 8) | uint32_t{from[2]};
}
constexpr uint32_t LoadBe32(const uint8_t* from) {
  return (uint32_t{from[0]} << 24) | (uint32_t{from[1]} << 16) | (uint32_t{from[2]} << 8) |
         uint32_t{from[3]};
}
constexpr uint64_t LoadBe48(const uint8_t* from) {
  return (uint64_t{LoadBe16(from)} << 32) | LoadBe32(from + 2);
}
constexpr uint64_t LoadBe64(const uint8_t* from) {
  return (uint64_t{from[0]} << 56) | (uint64_t{from[1]} << 48) | (uint64_t{from[2]} << 40) |
         (uint64_t{from[3]} << 32) | (uint64_t{from[4]} << 24) | (uint64_t{from[5]} << 16) |
         (uint64_t{from[6]} << 8) | uint64_t{from[7]};
}

constexpr void StoreBe16(uint8_t* to, uint16_t v) {
  to[0] = static_cast<uint8_t>(v >> 8);
  to[1] = static_cast<uint8_t>(v);
}
// The upper 8 bits of `v` are not stored.
constexpr void StoreBe24(uint8_t* to, uint32_t v) {
  to[0] = static_cast<uint8_t>(v >> 16);
  to[1] = static_cast<uint8_t>(v >> 8);
  to[2] = static_cast<uint8_t>(v);
}
constexpr void StoreBe32(uint8_t* to, uint32_t v) {
  to[0] = static_cast<uint8_t>(v >> 24);
  to[1] = static_cast<uint8_t>(v >> 16);
  to[2] = static_cast<uint8_t>(v >> 8);
  to[3] = static_cast<uint8_t>(v);
}
// The upper 16 bits of `v` are not stored.
constexpr void StoreBe48(uint8_t* to, uint64_t v) {
  StoreBe16(to, static_cast<uint16_t>(v >> 32));
  StoreBe32(to + 2, static_cast<uint32_t>(v));
}
constexpr void StoreBe64(uint8_t* to, uint64_t v) {
  StoreBe32(to, static_cast<uint32_t>(v >> 32));
  StoreBe32(to + 4, static_cast<uint32_t>(v));
}

// Copies all of `from` to the beginning of `to`. They may overlap. It is our mistake, and fatal, if
// `to` is shorter than `from`. The only place in the repository that calls memcpy's family, so that
// no copy goes unchecked.
inline void CopyBytes(absl::Span<uint8_t> to, absl::Span<const uint8_t> from) {
  SLUICE_CHECK(to.size() >= from.size());
  // The null data() of an empty span is not for memmove.
  if (!from.empty()) std::memmove(to.data(), from.data(), from.size());
}

}  // namespace sluice

#endif  // BASE_BYTE_ORDER_H_

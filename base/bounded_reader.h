#ifndef BASE_BOUNDED_READER_H_
#define BASE_BOUNDED_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"

namespace sluice {

// A fixed-size header: the length is checked once, in From, and each offset by the compiler.
//
//   std::optional<FixedReader<12>> header = FixedReader<12>::From(packet);
//   if (!header.has_value()) return Verdict::kTooShort;
//   const uint32_t ssrc = header->Load32<8>();
//
// Numbers are big endian. A view: the bytes belong to the caller and must outlive it.
template <size_t kSize>
class FixedReader {
 public:
  // Whether `width` bytes at `offset` lie inside the header. No sum in it could overflow.
  static constexpr bool Fits(size_t offset, size_t width) {
    return width <= kSize && offset <= kSize - width;
  }

  // Nothing when `bytes` is shorter than kSize; what lies behind kSize is ignored.
  static constexpr std::optional<FixedReader> From(absl::Span<const uint8_t> bytes) {
    if (bytes.size() < kSize) return std::nullopt;
    return FixedReader(bytes.data());
  }

  template <size_t kOffset>
  constexpr uint8_t Load8() const requires(Fits(kOffset, 1)) {
    return data_[kOffset];
  }
  template <size_t kOffset>
  constexpr uint16_t Load16() const requires(Fits(kOffset, 2)) {
    return LoadBe16(data_ + kOffset);
  }
  template <size_t kOffset>
  constexpr uint32_t Load24() const requires(Fits(kOffset, 3)) {
    return LoadBe24(data_ + kOffset);
  }
  template <size_t kOffset>
  constexpr uint32_t Load32() const requires(Fits(kOffset, 4)) {
    return LoadBe32(data_ + kOffset);
  }
  template <size_t kOffset>
  constexpr uint64_t Load64() const requires(Fits(kOffset, 8)) {
    return LoadBe64(data_ + kOffset);
  }

 private:
  constexpr explicit FixedReader(const uint8_t* data) : data_(data) {}

  const uint8_t* data_;
};

// A cursor for structures whose length is not known in advance. Every read can fail; a failed read
// moves nothing and writes nothing to its out parameter. Numbers are big endian. A view: the bytes
// belong to the caller and must outlive it and the spans it hands out.
class ByteReader {
 public:
  constexpr explicit ByteReader(absl::Span<const uint8_t> bytes) : rest_(bytes) {}

  [[nodiscard]] constexpr bool ReadU8(uint8_t& out) {
    if (rest_.size() < 1) return false;
    out = rest_[0];
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] constexpr bool ReadU16(uint16_t& out) {
    if (rest_.size() < 2) return false;
    out = LoadBe16(rest_.data());
    rest_.remove_prefix(2);
    return true;
  }
  [[nodiscard]] constexpr bool ReadU24(uint32_t& out) {
    if (rest_.size() < 3) return false;
    out = LoadBe24(rest_.data());
    rest_.remove_prefix(3);
    return true;
  }
  [[nodiscard]] constexpr bool ReadU32(uint32_t& out) {
    if (rest_.size() < 4) return false;
    out = LoadBe32(rest_.data());
    rest_.remove_prefix(4);
    return true;
  }
  [[nodiscard]] constexpr bool ReadU64(uint64_t& out) {
    if (rest_.size() < 8) return false;
    out = LoadBe64(rest_.data());
    rest_.remove_prefix(8);
    return true;
  }
  // `out` becomes a view of the next `n` bytes.
  [[nodiscard]] constexpr bool ReadBytes(size_t n, absl::Span<const uint8_t>& out) {
    if (rest_.size() < n) return false;
    out = rest_.first(n);
    rest_.remove_prefix(n);
    return true;
  }
  [[nodiscard]] constexpr bool Skip(size_t n) {
    if (rest_.size() < n) return false;
    rest_.remove_prefix(n);
    return true;
  }

  constexpr size_t remaining() const { return rest_.size(); }
  constexpr absl::Span<const uint8_t> rest() const { return rest_; }
  constexpr bool empty() const { return rest_.empty(); }

 private:
  absl::Span<const uint8_t> rest_;
};

}  // namespace sluice

#endif  // BASE_BOUNDED_READER_H_

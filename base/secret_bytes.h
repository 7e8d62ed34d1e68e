#ifndef BASE_SECRET_BYTES_H_
#define BASE_SECRET_BYTES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {

// Overwrites with zeros in a way that the optimiser keeps, even right before the memory is freed.
void WipeBytes(absl::Span<uint8_t> bytes);

// Compares in a time that depends on the sizes only. Sizes are not secret: different ones are false
// at once. Two empty spans are equal.
[[nodiscard]] bool ConstantTimeEquals(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b);

// Exactly N secret bytes: a key, a salt. Move-only; wiped when destroyed and when moved from. There
// is deliberately no way to print, hash or order it, and equality is constant-time. The bytes are
// inline, so a secret is where its owner is: mind what the owner does when it is copied or resized.
template <size_t N>
class SecretBytes {
 public:
  static constexpr size_t kSize = N;

  // All zero, to be filled through mutable_span().
  SecretBytes() : bytes_{} {}

  // A copy of `bytes`, which the caller wipes; nothing unless there are exactly N.
  static std::optional<SecretBytes> From(absl::Span<const uint8_t> bytes) {
    if (bytes.size() != N) return std::nullopt;
    std::optional<SecretBytes> secret(std::in_place);
    CopyBytes(secret->mutable_span(), bytes);
    return secret;
  }

  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;

  SecretBytes(SecretBytes&& other) noexcept : bytes_(other.bytes_) {
    WipeBytes(other.mutable_span());
  }
  SecretBytes& operator=(SecretBytes&& other) noexcept {
    if (this != &other) {
      bytes_ = other.bytes_;
      WipeBytes(other.mutable_span());
    }
    return *this;
  }

  ~SecretBytes() { WipeBytes(mutable_span()); }

  const uint8_t* data() const { return bytes_.data(); }
  absl::Span<const uint8_t> span() const { return bytes_; }
  absl::Span<uint8_t> mutable_span() { return absl::MakeSpan(bytes_); }

  [[nodiscard]] friend bool ConstantTimeEquals(const SecretBytes& a, const SecretBytes& b) {
    return ConstantTimeEquals(a.span(), b.span());
  }

 private:
  std::array<uint8_t, N> bytes_;
};

// As SecretBytes, for secrets of at most kMax bytes whose size (not itself secret) is known later.
// Moved from, it is empty.
template <size_t kMax>
class SecretBuffer {
 public:
  static constexpr size_t kMaxSize = kMax;

  // Empty.
  SecretBuffer() : bytes_{} {}

  // `size` zeros, to be filled through mutable_span(). It is our mistake, and fatal, if `size` is
  // above kMax.
  explicit SecretBuffer(size_t size) : bytes_{}, size_(size) { SLUICE_CHECK(size <= kMax); }

  // A copy of `bytes`, which the caller wipes; nothing when there are more than kMax.
  static std::optional<SecretBuffer> From(absl::Span<const uint8_t> bytes) {
    if (bytes.size() > kMax) return std::nullopt;
    std::optional<SecretBuffer> secret(std::in_place, bytes.size());
    CopyBytes(secret->mutable_span(), bytes);
    return secret;
  }

  SecretBuffer(const SecretBuffer&) = delete;
  SecretBuffer& operator=(const SecretBuffer&) = delete;

  SecretBuffer(SecretBuffer&& other) noexcept : bytes_(other.bytes_), size_(other.size_) {
    other.Clear();
  }
  SecretBuffer& operator=(SecretBuffer&& other) noexcept {
    if (this != &other) {
      bytes_ = other.bytes_;
      size_ = other.size_;
      other.Clear();
    }
    return *this;
  }

  ~SecretBuffer() { WipeBytes(absl::MakeSpan(bytes_)); }

  const uint8_t* data() const { return bytes_.data(); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  absl::Span<const uint8_t> span() const { return absl::MakeConstSpan(bytes_).first(size_); }
  absl::Span<uint8_t> mutable_span() { return absl::MakeSpan(bytes_).first(size_); }

  [[nodiscard]] friend bool ConstantTimeEquals(const SecretBuffer& a, const SecretBuffer& b) {
    return ConstantTimeEquals(a.span(), b.span());
  }

 private:
  void Clear() {
    WipeBytes(absl::MakeSpan(bytes_));
    size_ = 0;
  }

  std::array<uint8_t, kMax> bytes_;
  size_t size_ = 0;
};

}  // namespace sluice

#endif  // BASE_SECRET_BYTES_H_

#ifndef SRTP_MKI_H_
#define SRTP_MKI_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace sluice {

// Longest master key identifier that SDES can name (RFC 4568 section 6.1).
inline constexpr size_t kMaxMkiSize = 128;

// Master key identifier: bytes that a packet carries to say which master key protects it
// (RFC 3711 section 3.1). Of no bytes where packets carry none. Not secret.
class Mki {
 public:
  // Of no bytes.
  Mki() = default;
  // InvalidArgument when there are more than kMaxMkiSize.
  static absl::StatusOr<Mki> Create(absl::Span<const uint8_t> bytes);

  absl::Span<const uint8_t> bytes() const { return absl::MakeConstSpan(bytes_).first(size_); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  friend bool operator==(const Mki& a, const Mki& b) { return a.bytes() == b.bytes(); }

 private:
  std::array<uint8_t, kMaxMkiSize> bytes_ = {};
  uint8_t size_ = 0;
};

}  // namespace sluice

#endif  // SRTP_MKI_H_

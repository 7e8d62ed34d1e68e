#ifndef QUIC_CODEC_CONNECTION_ID_H_
#define QUIC_CODEC_CONNECTION_ID_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "base/byte_order.h"

namespace sluice {

// A connection id of QUIC version 1 or 2: 0 to 20 bytes that mean something to their issuer only
// (RFC 9000 sections 5.1 and 17.2). A value: 21 bytes, copied freely.
class ConnectionId {
 public:
  static constexpr size_t kMaxSize = 20;

  // The empty one, which is legal.
  constexpr ConnectionId() = default;
  // It is our mistake, and fatal, if `bytes` are more than kMaxSize.
  explicit ConnectionId(absl::Span<const uint8_t> bytes)
      : size_(static_cast<uint8_t>(bytes.size())) {
    CopyBytes(absl::MakeSpan(bytes_), bytes);
  }

  // Nothing when `bytes` are more than kMaxSize.
  static std::optional<ConnectionId> From(absl::Span<const uint8_t> bytes) {
    if (bytes.size() > kMaxSize) return std::nullopt;
    return ConnectionId(bytes);
  }

  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  // A view of this object.
  absl::Span<const uint8_t> bytes() const { return absl::MakeConstSpan(bytes_).first(size_); }
  // All kMaxSize bytes, zeros behind the first size(): a copy of a fixed size needs no loop.
  constexpr const std::array<uint8_t, kMaxSize>& padded() const { return bytes_; }

  friend bool operator==(const ConnectionId& a, const ConnectionId& b) = default;

  template <typename H>
  friend H AbslHashValue(H state, const ConnectionId& id) {
    return H::combine(std::move(state), id.bytes_, id.size_);
  }

  // Lower case hex; "(empty)" for the empty one.
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const ConnectionId& id) {
    if (id.empty()) {
      sink.Append("(empty)");
      return;
    }
    for (const uint8_t byte : id.bytes()) {
      constexpr char kDigits[] = "0123456789abcdef";
      sink.Append(1, kDigits[byte >> 4]);
      sink.Append(1, kDigits[byte & 15]);
    }
  }

 private:
  // Zeros behind the first size_.
  std::array<uint8_t, kMaxSize> bytes_{};
  uint8_t size_ = 0;
};

}  // namespace sluice

#endif  // QUIC_CODEC_CONNECTION_ID_H_

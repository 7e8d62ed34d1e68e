#ifndef QUIC_SERVER_SOURCE_KEY_H_
#define QUIC_SERVER_SOURCE_KEY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "quic/connection/udp_path.h"

namespace sluice {

// Who is behind an address as far as shares of what an endpoint has are concerned: an IPv4 address,
// or an IPv6 network of 64 bits, which is what one subscriber has; whatever the port. A value.
class SourceKey {
 public:
  explicit SourceKey(const UdpAddress& address);

  // The same in every process: bits of the address, mixed, with no secret. Who chooses addresses so
  // that they meet in a table has as many of them as he would need to take shares by their number.
  uint64_t hash() const;

  friend bool operator==(const SourceKey& a, const SourceKey& b) = default;
  template <typename H>
  friend H AbslHashValue(H state, const SourceKey& key) {
    return H::combine(std::move(state), key.bytes_);
  }

 private:
  static constexpr size_t kNetworkSize = 8;

  // The family and the bytes that count, zeros behind them.
  std::array<uint8_t, 1 + kNetworkSize> bytes_{};
};

}  // namespace sluice

#endif  // QUIC_SERVER_SOURCE_KEY_H_

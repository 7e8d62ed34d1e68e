#ifndef QUIC_SERVER_SOURCE_SHARES_H_
#define QUIC_SERVER_SOURCE_SHARES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "quic/connection/udp_path.h"

namespace sluice {

// How many connections each source has: an IPv4 address, or an IPv6 network of 64 bits, which is
// what one subscriber has. Room for as many sources as there may be connections is made at the
// beginning.
class SourceShares {
 public:
  struct Share {
    uint32_t connections = 0;
    // Of them, those whose handshake is not done.
    uint32_t half_open = 0;
  };

  explicit SourceShares(size_t max_connections);

  // Zeros for a source that has none.
  Share Of(const UdpAddress& address) const;
  // A new one, half open.
  void Add(const UdpAddress& address);
  // Its handshake is done.
  void Complete(const UdpAddress& address);
  // It is gone; `half_open`: before its handshake was done.
  void Remove(const UdpAddress& address, bool half_open);

  size_t sources() const { return shares_.size(); }

 private:
  // The family and the bytes that count, zeros behind them.
  using Key = std::array<uint8_t, 9>;
  static Key KeyOf(const UdpAddress& address);

  absl::flat_hash_map<Key, Share> shares_;
};

}  // namespace sluice

#endif  // QUIC_SERVER_SOURCE_SHARES_H_

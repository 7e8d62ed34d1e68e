#ifndef QUIC_SERVER_SOURCE_SHARES_H_
#define QUIC_SERVER_SOURCE_SHARES_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "quic/connection/udp_path.h"
#include "quic/server/source_key.h"

namespace sluice {

// How many connections each source (SourceKey) has. Room for as many sources as there may be
// connections is made at the beginning.
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
  absl::flat_hash_map<SourceKey, Share> shares_;
};

}  // namespace sluice

#endif  // QUIC_SERVER_SOURCE_SHARES_H_

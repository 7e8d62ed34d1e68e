#ifndef QUIC_SERVER_STATELESS_PACKETS_H_
#define QUIC_SERVER_STATELESS_PACKETS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"

namespace sluice {

// What a server says without a connection. Each writes one packet to `out` and returns how many
// bytes it has, 0 when there is not enough room; 1200 are always enough. All are smaller than a
// first packet, so that they amplify nothing.

// As the packet that is answered names its two ends.
struct PacketNames {
  QuicVersion version = kQuicVersion1;
  ConnectionId destination;
  ConnectionId source;
};

// RFC 9000 section 6.1: the versions that we speak, and a reserved one that nobody does. The names
// are those of the packet that it answers; other versions may have longer ones (RFC 8999).
size_t WriteVersionNegotiation(absl::Span<const uint8_t> source,
                               absl::Span<const uint8_t> destination, bool version2,
                               RandomSource& random, absl::Span<uint8_t> out);

// RFC 9000 section 17.2.5. `own` is what the client is to call us from now on.
size_t WriteRetry(const PacketNames& received, const ConnectionId& own,
                  absl::Span<const uint8_t> token, absl::Span<uint8_t> out);

// An Initial packet with CONNECTION_CLOSE and a code of RFC 9000 section 20.1.
inline constexpr uint64_t kConnectionRefusedCode = 0x02;
inline constexpr uint64_t kInvalidTokenCode = 0x0b;
size_t WriteRefusal(const PacketNames& received, uint64_t code, absl::Span<uint8_t> out);

}  // namespace sluice

#endif  // QUIC_SERVER_STATELESS_PACKETS_H_

#ifndef QUIC_SERVER_STATELESS_RESET_H_
#define QUIC_SERVER_STATELESS_RESET_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/secret_bytes.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {

// Lets a server that has lost a connection say so to its client (RFC 9000 section 10.3): the token
// of a connection id follows from the id and a secret, which outlives the process and is the same
// on all threads, so that no state is needed to find it again.
class StatelessReset {
 public:
  using Secret = SecretBytes<32>;

  // Datagrams that are answered have at least as much. A peer that must tell a reset from a packet
  // sends no less (section 10.3 wants 5 bytes more than a server's ids and a tag need).
  static constexpr size_t kMinTrigger = 41;
  // Enough to look like a packet with an acknowledgement.
  static constexpr size_t kMaxSize = 43;

  explicit StatelessReset(Secret secret);

  StatelessResetToken TokenOf(const ConnectionId& id) const;

  // Writes the answer to a datagram of `trigger` bytes to `id`, always smaller than that, so that
  // two servers that answer each other come to an end. How many bytes, 0 when it is not answered or
  // `out` is too small.
  size_t Write(const ConnectionId& id, size_t trigger, RandomSource& random,
               absl::Span<uint8_t> out) const;

 private:
  const Secret secret_;
};

}  // namespace sluice

#endif  // QUIC_SERVER_STATELESS_RESET_H_

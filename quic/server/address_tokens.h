#ifndef QUIC_SERVER_ADDRESS_TOKENS_H_
#define QUIC_SERVER_ADDRESS_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/codec/connection_id.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/sealing_key_ring.h"

namespace sluice {

// Proofs that a client has the address that it sends from (RFC 9000 section 8.1): sealed, so that
// only we make and read them, and nothing is kept of them. One thread.
class AddressTokens {
 public:
  // Enough for the client's first flight to come again over any path; a Retry that is slower is
  // worth nothing.
  static constexpr TimeDelta kRetryLifetime = TimeDelta::Seconds(10);
  // How long a client that was here may come back without a Retry. At least as long; keys rotate.
  static constexpr TimeDelta kNewTokenLifetime = TimeDelta::Minutes(6 * 60);
  // What the sealed forms need at most.
  static constexpr size_t kMaxSize = 1 + 8 + 1 + ConnectionId::kMaxSize + SealingKeyRing::kOverhead;

  enum class Kind : uint8_t {
    // Not a proof of anything; as if there were none.
    kNone,
    // From NEW_TOKEN on an earlier connection.
    kNewToken,
    // From our Retry to this very attempt.
    kRetry,
    // Has the form of one from a Retry, but is not ours, not for this address or too old.
    kBadRetry,
  };
  struct Reading {
    Kind kind = Kind::kNone;
    // Of kRetry: what the client called us before.
    ConnectionId original_destination;
  };

  // `random` outlives the object.
  AddressTokens(Timestamp now, RandomSource& random);

  // For a Retry that calls us `retry_source`, to a client at `client` who called us
  // `original_destination`. Bound to address and port and to both names. How many bytes of `out`,
  // which has kMaxSize.
  size_t WriteRetry(Timestamp now, const UdpAddress& client, const ConnectionId& retry_source,
                    const ConnectionId& original_destination, absl::Span<uint8_t> out);
  // For NEW_TOKEN: bound to the address, but not to the port, which a NAT changes.
  size_t WriteNewToken(Timestamp now, const UdpAddress& client, absl::Span<uint8_t> out);

  // What a client at `client` shows in a packet to `destination`.
  Reading Read(Timestamp now, const UdpAddress& client, const ConnectionId& destination,
               absl::Span<const uint8_t> token);

 private:
  SealingKeyRing keys_;
};

}  // namespace sluice

#endif  // QUIC_SERVER_ADDRESS_TOKENS_H_

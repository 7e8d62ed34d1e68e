#ifndef QUIC_SERVER_ENDPOINT_LIMITS_H_
#define QUIC_SERVER_ENDPOINT_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace sluice {

// What an endpoint may take, of one thread. Memory for all of it is made at the beginning, but for
// what ngtcp2 and BoringSSL need for a connection that is there (some 35 KiB).
struct EndpointLimits {
  // All connections, also those that are coming to their end.
  uint32_t max_connections = 8192;
  // Of one source (SourceShares): an office behind one NAT, not a botnet behind one address.
  uint32_t max_connections_per_source = 256;
  // Whose handshake is not done. Each is memory that a forged address may have asked for.
  uint32_t max_half_open = 1024;
  // From so many half open ones on, all must show a Retry token first (RFC 9000 section 8.1.2), and
  // a source's from so many of its own on. Zero is always.
  uint32_t retry_above_half_open = 256;
  uint32_t retry_above_half_open_per_source = 16;
  // Version Negotiation, Retry, refusals and stateless resets a second, together: what may be
  // reflected at others.
  uint32_t stateless_answers_per_second = 2000;
  // For what waits to be sent or to arrive, in blocks of SendStreamPool::kBlockSize.
  uint32_t send_streams = 16384;
  uint32_t send_blocks = 32768;
};

// InvalidArgument, with a sentence that names the first limit out of its range.
absl::Status CheckEndpointLimits(const EndpointLimits& limits);

}  // namespace sluice

#endif  // QUIC_SERVER_ENDPOINT_LIMITS_H_

#ifndef GATEWAY_QUIC_QUIC_OPTIONS_H_
#define GATEWAY_QUIC_QUIC_OPTIONS_H_

#include <cstddef>
#include <cstdint>

#include "gateway/config/config.h"
#include "gateway/config/limits.h"
#include "gateway/net/transport_address.h"
#include "quic/connection/udp_path.h"
#include "quic/http3/http_limits.h"
#include "quic/server/endpoint_limits.h"

namespace sluice {

// Requests and answers of all connections that wait for a moment: most need none, and who finds
// none is told to come again. A source has at most a quarter (BufferPool::kSourcePart).
inline constexpr size_t kQuicRpcBuffers = 256;
inline constexpr size_t kQuicHttpBuffers = 256;

// What the endpoint may take, from what operators set. A limit that another one makes pointless is
// as large as that.
EndpointLimits ToEndpointLimits(const QuicConfig& quic, const Limits& limits);

// What one connection takes at most, in bytes: for the sum at start. What ngtcp2 and BoringSSL keep
// of it (quic/server/endpoint_memory_test.cc measures 40 KiB), our own state of a protocol, and
// what a hostile client may make nghttp3 keep.
inline constexpr size_t kQuicConnectionBytes = size_t{64} * 1024 + kMaxHttpStateMemory;

// What the pools take that connections share, in bytes: for the same sum.
size_t QuicPoolBytes(const EndpointLimits& limits);

UdpAddress ToUdpAddress(const TransportAddress& address);
TransportAddress ToTransportAddress(const UdpAddress& address);

}  // namespace sluice

#endif  // GATEWAY_QUIC_QUIC_OPTIONS_H_

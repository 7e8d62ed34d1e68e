#include "gateway/quic/quic_options.h"

#include <algorithm>
#include <array>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "quic/connection/send_stream.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/rpc/rpc_buffer_pool.h"

namespace sluice {
namespace {

// Streams on which something is said at the same time, and their bytes, for each connection: most
// say nothing, and one that says much takes what others leave.
constexpr uint32_t kStreamsPerConnection = 2;
constexpr uint32_t kBlocksPerConnection = 4;
// A quarter of it, which a connection may have of a pool, is still enough to work with.
constexpr uint32_t kMinStreams = 64;
constexpr uint32_t kMinBlocks = 256;
// What stands in a pool beside a block of bytes.
constexpr size_t kBlockOverhead = 32;
// What a turn of the listener receives and sends: 32 datagrams in, 256 out.
constexpr size_t kTurnBytes = size_t{512} * 1024;

}  // namespace

EndpointLimits ToEndpointLimits(const QuicConfig& quic, const Limits& limits) {
  EndpointLimits out;
  const auto connections = static_cast<uint32_t>(limits.quic_connections);
  const auto at_most = [](size_t value, uint32_t most) {
    return static_cast<uint32_t>(std::min<size_t>(value, most));
  };
  out.max_connections = connections;
  out.max_connections_per_source = at_most(limits.quic_connections_per_source, connections);
  out.max_half_open = at_most(limits.quic_half_open, connections);
  out.retry_above_half_open = quic.always_retry ? 0 : out.max_half_open / 4;
  out.retry_above_half_open_per_source =
      quic.always_retry ? 0 : std::min(out.retry_above_half_open_per_source, out.max_half_open);
  // Where the ranges of both end (quic/server/endpoint_limits.cc).
  constexpr size_t kMost = size_t{1} << 20;
  out.send_streams = at_most(
      std::max<size_t>(limits.quic_connections * kStreamsPerConnection, kMinStreams), kMost);
  out.send_blocks =
      at_most(std::max<size_t>(limits.quic_connections * kBlocksPerConnection, kMinBlocks), kMost);
  return out;
}

size_t QuicPoolBytes(const EndpointLimits& limits) {
  return kTurnBytes + limits.send_streams * sizeof(SendStream) +
         limits.send_blocks * (SendStreamPool::kBlockSize + kBlockOverhead) +
         kQuicRpcBuffers * RpcBufferPool::kBufferSize +
         kQuicHttpBuffers * HttpBufferPool::kBufferSize;
}

UdpAddress ToUdpAddress(const TransportAddress& address) {
  const std::array<uint8_t, 16>& bytes = address.ip.bytes();
  if (address.ip.family() == IpFamily::kIpv4) {
    return UdpAddress::V4({bytes[0], bytes[1], bytes[2], bytes[3]}, address.port);
  }
  return UdpAddress::V6(bytes, address.port, address.ip.scope_id());
}

TransportAddress ToTransportAddress(const UdpAddress& address) {
  if (address.is_v6()) {
    std::array<uint8_t, 16> bytes;
    CopyBytes(absl::MakeSpan(bytes), address.ip());
    return {IpAddress::V6(bytes, address.scope()), address.port()};
  }
  std::array<uint8_t, 4> bytes;
  CopyBytes(absl::MakeSpan(bytes), address.ip());
  return {IpAddress::V4(bytes), address.port()};
}

}  // namespace sluice

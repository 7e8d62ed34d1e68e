#include "quic/connection/send_limits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "quic/codec/transport_parameters.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/send_streams.h"

namespace sluice {
namespace {

// Streams that we opened and that may wait for a place in the pool, besides all of the peer's: more
// than a client has calls or HTTP/3 has streams of its own.
constexpr size_t kWaitingOfOurs = 32;
// Of the peer's, if its limit is larger: nobody's is.
constexpr uint64_t kMostWaitingOfPeers = 1024;

}  // namespace

SendStreams::Limits SendLimitsOf(const ConnectionLimits& limits,
                                 const EndpointParameters& parameters) {
  const auto bytes = static_cast<size_t>(limits.max_unacknowledged_in_all.bytes());
  return {
      .streams = limits.max_send_streams,
      .blocks = (bytes + SendStreamPool::kBlockSize - 1) / SendStreamPool::kBlockSize,
      .waiting = kWaitingOfOurs + static_cast<size_t>(std::min(parameters.initial_max_streams_bidi,
                                                               kMostWaitingOfPeers))};
}

}  // namespace sluice

#include "quic/calls/rpc_protocol.h"

#include <cstdint>
#include <string>

#include "base/data_size.h"
#include "base/time_delta.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/tls/application_protocols.h"

namespace sluice {
namespace {

// A participant that fell silent is gone for its conference long before; events need no more often
// a sign of life.
constexpr TimeDelta kMaxIdle = TimeDelta::Seconds(30);
// Nearly the longest message: more waits for the reader, not in memory.
constexpr DataSize kStreamWindow = DataSize::Bytes(64 * 1024);
// Four of these at once; signalling is far below it.
constexpr DataSize kConnectionWindow = DataSize::Bytes(256 * 1024);
// The one in use, the next one after a move, and two that are under way.
constexpr uint64_t kConnectionIds = 4;

ApplicationProtocol Protocol() {
  ApplicationProtocol protocol{.name = std::string(kRpcProtocolName)};
  protocol.parameters.max_idle_timeout = kMaxIdle;
  protocol.parameters.initial_max_data = kConnectionWindow;
  protocol.parameters.active_connection_id_limit = kConnectionIds;
  return protocol;
}

}  // namespace

ApplicationProtocol RpcServerProtocol(const RpcLimits& limits) {
  ApplicationProtocol protocol = Protocol();
  protocol.parameters.initial_max_stream_data_bidi_remote = kStreamWindow;
  protocol.parameters.initial_max_streams_bidi = limits.calls;
  return protocol;
}

ApplicationProtocol RpcClientProtocol() {
  ApplicationProtocol protocol = Protocol();
  protocol.parameters.initial_max_stream_data_bidi_local = kStreamWindow;
  protocol.early_data = true;
  return protocol;
}

}  // namespace sluice

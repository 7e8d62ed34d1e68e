#include "quic/http3/http_protocol.h"

#include <cstdint>
#include <string>

#include "base/data_size.h"
#include "base/time_delta.h"
#include "quic/http3/http_client_streams.h"
#include "quic/http3/http_limits.h"
#include "quic/tls/application_protocols.h"

namespace sluice {
namespace {

// A page that fell silent is gone; browsers send something before theirs is over, which is 30 s.
constexpr TimeDelta kMaxIdle = TimeDelta::Seconds(30);
// Nearly the longest request: more waits at the client.
constexpr DataSize kRequestWindow = DataSize::Bytes(64 * 1024);
// Much more than anybody has to say on control and QPACK streams.
constexpr DataSize kControlWindow = DataSize::Bytes(16 * 1024);
// Four of the longest requests at once; signalling is far below it.
constexpr DataSize kConnectionWindow = DataSize::Bytes(256 * 1024);
// The one in use, the next one after a move, and two that are under way.
constexpr uint64_t kConnectionIds = 4;

}  // namespace

ApplicationProtocol HttpServerProtocol(const HttpLimits& limits) {
  ApplicationProtocol protocol{.name = std::string(kHttpProtocolName)};
  protocol.parameters.max_idle_timeout = kMaxIdle;
  protocol.parameters.initial_max_data = kConnectionWindow;
  protocol.parameters.initial_max_stream_data_bidi_remote = kRequestWindow;
  protocol.parameters.initial_max_stream_data_uni = kControlWindow;
  protocol.parameters.initial_max_streams_bidi = limits.requests;
  protocol.parameters.initial_max_streams_uni = HttpClientStreams::kMaxStreams;
  protocol.parameters.active_connection_id_limit = kConnectionIds;
  return protocol;
}

}  // namespace sluice

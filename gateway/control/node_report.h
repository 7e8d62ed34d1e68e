#ifndef GATEWAY_CONTROL_NODE_REPORT_H_
#define GATEWAY_CONTROL_NODE_REPORT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gateway/config/config.h"
#include "gateway/config/limits.h"
#include "gateway/control/control_room.h"
#include "proto/gateway/v1/node.pb.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {

// A limit that lies outside of the control room.
struct LimitState {
  uint64_t limit = 0;
  uint64_t used = 0;
  uint64_t refused = 0;
};

// Signalling over QUIC. Limits are those of the same names.
struct QuicUse {
  LimitState connections;
  LimitState half_open;
  // Connections that were one too many of their source.
  uint64_t refused_source = 0;
  LimitState threads;
  gateway::v1::QuicStatus status;
};

// What never changes about a gateway, and where the rest is asked.
struct NodeSources {
  std::string version;
  absl::Time start_time;
  Limits limits;
  TimeoutDefaults session_defaults;
  EngineKind crypto_engine = EngineKind::kBoringSsl;
  std::function<LimitState()> media_ports;
  // Null where no leg can be logged.
  std::function<LimitState()> packet_logs = nullptr;
  std::function<LimitState()> revoked_tokens = nullptr;
  // Null without a port for QUIC.
  std::function<QuicUse()> quic = nullptr;
  // By why; null where participants cannot call.
  std::function<std::vector<std::pair<absl::string_view, uint64_t>>()> participants_refused =
      nullptr;
};

// Puts together what GetNode tells. Asks every worker, so its errors are theirs.
absl::Status ReportNode(const NodeSources& sources, ControlRoom& room, gateway::v1::Node& out);

// Of this process; 0 when the system does not tell.
uint64_t OpenFileDescriptors();

}  // namespace sluice

#endif  // GATEWAY_CONTROL_NODE_REPORT_H_

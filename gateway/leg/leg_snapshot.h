#ifndef GATEWAY_LEG_LEG_SNAPSHOT_H_
#define GATEWAY_LEG_LEG_SNAPSHOT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time_delta.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/srtp_options.h"
#include "srtp/cipher_suite.h"
#include "srtp/mki.h"
#include "srtp/rtp_types.h"

namespace sluice {

enum class StreamDirection : uint8_t { kReceived, kSent };

// One SSRC in one direction on one leg, copied out for the control room.
struct StreamSnapshot {
  Ssrc ssrc{0};
  StreamDirection direction = StreamDirection::kReceived;
  uint64_t packets = 0;
  uint64_t payload_bytes = 0;
  // Received: expected minus received (RFC 3550 appendix A.3), signed.
  int64_t packets_lost = 0;
  // RFC 3550 section 6.4.1.
  TimeDelta jitter = TimeDelta::Zero();
  uint64_t extended_highest_sequence = 0;
  PayloadType payload_type{0};
};

// A key of a leg, without the key.
struct LegKeyState {
  // Of no bytes: packets carry none.
  Mki mki;
  // Local keys: packets are protected with this one.
  bool sending = false;
};

// A leg's state and statistics at one moment. Holds no keys.
struct LegSnapshot {
  std::string id;
  LegKind kind = LegKind::kRtp;
  bool rtcp_mux = false;
  LocalTransport local;
  std::optional<TransportAddress> remote_rtp;
  std::optional<TransportAddress> remote_rtcp;
  bool remote_learned = false;
  AddressLearning learning = AddressLearning::kStrict;
  std::optional<SuiteId> local_suite;
  std::optional<SuiteId> remote_suite;
  // SRTP legs.
  std::optional<SrtpOptions> local_options;
  std::optional<SrtpOptions> remote_options;
  // Those that live, in the order in which they came.
  std::vector<LegKeyState> local_keys;
  std::vector<LegKeyState> remote_keys;
  bool hold = false;
  std::vector<PayloadClock> payload_types;

  uint64_t packets_received = 0;
  uint64_t bytes_received = 0;
  uint64_t packets_sent = 0;
  uint64_t bytes_sent = 0;
  std::array<uint64_t, kPacketVerdictCount> verdicts{};
  std::optional<PacketVerdict> last_reject;
  std::vector<StreamSnapshot> streams;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_LEG_SNAPSHOT_H_

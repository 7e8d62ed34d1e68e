#ifndef GATEWAY_LEG_LEG_SNAPSHOT_H_
#define GATEWAY_LEG_LEG_SNAPSHOT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/data_rate.h"
#include "base/time_delta.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/media_description.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/srtp_options.h"
#include "srtp/cipher_suite.h"
#include "srtp/mki.h"
#include "srtp/rtp_types.h"

namespace sluice {

enum class StreamDirection : uint8_t { kReceived, kSent };

// A round trip that was measured again and again.
struct RoundTripSnapshot {
  std::optional<TimeDelta> last;
  TimeDelta total = TimeDelta::Zero();
  uint64_t measurements = 0;
};

// The peer's last report block about a stream (RFC 3550 section 6.4.1).
struct RemoteReportSnapshot {
  uint64_t reports = 0;
  // 0..1.
  double fraction_lost = 0;
  int64_t packets_lost = 0;
  TimeDelta jitter = TimeDelta::Zero();
  RoundTripSnapshot round_trip;
};

// What the statistics interceptor knows of a stream beside what the leg counts.
struct StreamFeedbackSnapshot {
  uint64_t retransmitted_packets = 0;
  uint64_t retransmitted_bytes = 0;
  // About the stream: sent for a received one, received for a sent one.
  uint64_t nacks = 0;
  uint64_t picture_loss_indications = 0;
  uint64_t full_intra_requests = 0;
  // Of a sent stream, once the peer reported on it.
  std::optional<RemoteReportSnapshot> remote;
  // Of a received audio stream, 1.0..4.5.
  std::optional<double> mean_opinion_score;
};

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
  // Where the leg has the statistics interceptor.
  std::optional<StreamFeedbackSnapshot> feedback;
};

// One counter of one interceptor. The names live as long as the process.
struct InterceptorCounter {
  absl::string_view interceptor;
  absl::string_view name;
  uint64_t value = 0;
};

// What may be sent to the peer, as estimated from its feedback.
struct BandwidthSnapshot {
  DataRate target = DataRate::Zero();
  DataRate delay_based = DataRate::Zero();
  DataRate loss_based = DataRate::Zero();
  // Nothing: not known.
  std::optional<DataRate> delivered;
  bool application_limited = false;
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
  std::vector<PayloadDescription> payload_types;
  std::vector<HeaderExtension> header_extensions;
  std::vector<StreamGroup> remote_streams;
  // What was asked for, and what follows from it.
  InterceptorConfig interceptor_config;
  InterceptorOptions interceptors;
  // Only counters that are not 0.
  std::vector<InterceptorCounter> interceptor_counters;
  std::optional<BandwidthSnapshot> bandwidth;
  std::optional<RoundTripSnapshot> round_trip;

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

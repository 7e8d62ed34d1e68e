#ifndef GATEWAY_SESSION_SESSION_EVENT_H_
#define GATEWAY_SESSION_SESSION_EVENT_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "base/data_rate.h"
#include "base/timestamp.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/inline_id.h"
#include "srtp/rtp_types.h"

namespace sluice {

enum class SessionEventKind : uint8_t {
  // The first packet of a leg was accepted.
  kMediaStarted,
  kRemoteAddressChanged,
  kStreamAdded,
  // A master key reached a limit of its lifetime: once for each key, direction and limit.
  kKeyLimitReached,
  // The estimate of what may be sent to the leg's peer moved by an eighth or more.
  kTargetRateChanged,
  // The leg's peer wants a key frame of a stream that it gets.
  kKeyFrameRequested,
};

// Something that packets caused, told to the control plane. A plain value without heap memory,
// since it is made on the packet path. What calls cause (sessions and legs coming and going) the
// control room tells itself.
struct SessionEvent {
  SessionEventKind kind = SessionEventKind::kMediaStarted;
  Timestamp time = Timestamp::Zero();
  InlineId session_id;
  InlineId leg_id;
  // kRemoteAddressChanged.
  std::optional<TransportAddress> old_rtp;
  TransportAddress new_rtp;
  // kStreamAdded, kKeyFrameRequested.
  Ssrc ssrc{0};
  // kTargetRateChanged.
  DataRate target = DataRate::Zero();
  // kKeyLimitReached. kSent: what the gateway protects with.
  StreamDirection direction = StreamDirection::kReceived;
  KeyLimit limit = KeyLimit::kSoft;
};

// An event about a leg; what its kind has beside is to be set.
inline SessionEvent LegEvent(Timestamp now, SessionEventKind kind, absl::string_view session_id,
                             absl::string_view leg_id) {
  SessionEvent event;
  event.kind = kind;
  event.time = now;
  event.session_id = InlineId(session_id);
  event.leg_id = InlineId(leg_id);
  return event;
}

}  // namespace sluice

#endif  // GATEWAY_SESSION_SESSION_EVENT_H_

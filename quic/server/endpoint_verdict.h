#ifndef QUIC_SERVER_ENDPOINT_VERDICT_H_
#define QUIC_SERVER_ENDPOINT_VERDICT_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace sluice {

// What became of a datagram that an endpoint was given. One for each, and one counter for each.
enum class EndpointVerdict : uint8_t {
  // A connection took it.
  kDelivered,
  // ... a new one.
  kAccepted,
  // Answered without a connection.
  kVersionNegotiationSent,
  kRetrySent,
  kStatelessResetSent,
  // A Retry token that is not good: INVALID_TOKEN was sent.
  kInvalidToken,
  // CONNECTION_REFUSED was sent, because there are as many connections as may be, ...
  kRefusedFull,
  // ... of this source, ...
  kRefusedSource,
  // ... half open, ...
  kRefusedHalfOpen,
  // ... or because no new ones are taken any more.
  kRefusedClosing,
  // It is for another thread: EndpointResult::thread.
  kOtherThread,
  // Dropped: it is not QUIC, or a first packet in a datagram that is too small (RFC 9000 section
  // 14.1), or of a kind that no server gets.
  kNotQuic,
  // ... it is for a connection that is not here and no reset is due.
  kUnknownConnection,
  // ... it would have been answered, but enough strangers are.
  kAnswerLimited,
  // ... it would have been answered, but comes from a port that answers whatever it gets.
  kReflectingPort,
  // ... or the outbox or memory had no room.
  kNoRoom,
};
inline constexpr size_t kEndpointVerdictCount = 16;

// For counters: "retry_sent". Static.
constexpr absl::string_view EndpointVerdictName(EndpointVerdict verdict) {
  constexpr absl::string_view kNames[kEndpointVerdictCount] = {"delivered",
                                                               "accepted",
                                                               "version_negotiation_sent",
                                                               "retry_sent",
                                                               "stateless_reset_sent",
                                                               "invalid_token",
                                                               "refused_full",
                                                               "refused_source",
                                                               "refused_half_open",
                                                               "refused_closing",
                                                               "other_thread",
                                                               "not_quic",
                                                               "unknown_connection",
                                                               "answer_limited",
                                                               "reflecting_port",
                                                               "no_room"};
  return kNames[static_cast<size_t>(verdict)];
}

}  // namespace sluice

#endif  // QUIC_SERVER_ENDPOINT_VERDICT_H_

#ifndef INTERCEPTOR_INTERCEPTOR_EVENT_H_
#define INTERCEPTOR_INTERCEPTOR_EVENT_H_

#include <cstdint>
#include <type_traits>
#include <variant>

#include "base/data_rate.h"
#include "base/time_delta.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What one interceptor has to say to others and to the leg. Interceptors know nothing of each
// other: one raises an event, the chain hands it to those whose hooks ask for events, and the leg
// finds it in the outbox.

// Measured between us and the peer (RFC 3550 section 6.4.1, RFC 3611 section 4.5).
struct RoundTripMeasured {
  TimeDelta round_trip;
};

// The peer's report on a stream of ours: 0..255 are 1/256 of the packets (RFC 3550
// section 6.4.1).
struct LossReported {
  Ssrc ssrc;
  uint8_t fraction_lost;
};

// What may be sent to the peer from now on, all streams and repair together.
struct TargetRateChanged {
  DataRate target;
};

// The peer limits what we may send (REMB).
struct RemoteRateLimited {
  DataRate limit;
};

// Packets at a rate above the target, to find out whether it would do. `cluster` names the probe,
// not 0.
struct ProbeWanted {
  uint32_t cluster;
  DataRate rate;
  TimeDelta duration;
};

// There is (or is no longer) less to send than the target allows.
struct ApplicationLimited {
  bool limited;
};

// The peer wants a key frame of a stream that goes to it (RFC 4585 section 6.3.1, RFC 5104
// section 4.3.1): for the leg, who asks the source.
struct KeyFrameRequested {
  Ssrc ssrc;
};

// A stream from the peer cannot go on without a key frame: for whoever asks the peer.
struct KeyFrameNeeded {
  Ssrc ssrc;
};

using InterceptorEvent =
    std::variant<RoundTripMeasured, LossReported, TargetRateChanged, RemoteRateLimited, ProbeWanted,
                 ApplicationLimited, KeyFrameRequested, KeyFrameNeeded>;
static_assert(std::is_trivially_copyable_v<InterceptorEvent>);

}  // namespace sluice

#endif  // INTERCEPTOR_INTERCEPTOR_EVENT_H_

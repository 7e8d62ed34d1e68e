#ifndef QUIC_CONNECTION_SEND_LIMITS_H_
#define QUIC_CONNECTION_SEND_LIMITS_H_

#include "quic/codec/transport_parameters.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/send_streams.h"

namespace sluice {

// What the streams of one connection may have of the pool, in its own words: bytes become blocks, a
// part of one counts as a whole one. As many streams can wait for a place as the peer may open by
// our own `parameters`, and some of ours.
SendStreams::Limits SendLimitsOf(const ConnectionLimits& limits,
                                 const EndpointParameters& parameters);

}  // namespace sluice

#endif  // QUIC_CONNECTION_SEND_LIMITS_H_

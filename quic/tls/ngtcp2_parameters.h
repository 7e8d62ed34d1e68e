#ifndef QUIC_TLS_NGTCP2_PARAMETERS_H_
#define QUIC_TLS_NGTCP2_PARAMETERS_H_

#include <ngtcp2/ngtcp2.h>

#include <cstddef>

#include "absl/status/status.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {

// Our words in those of ngtcp2, and back.

ngtcp2_cid ToNgtcp2(const ConnectionId& id);
ConnectionId FromNgtcp2(const ngtcp2_cid& id);

// ngtcp2 keeps that many unused connection ids of a peer, and asserts that we offer no more.
inline constexpr size_t kNgtcp2ConnectionIdLimit = 8;

// InvalidArgument, with a sentence, for what CheckEndpointParameters refuses or ngtcp2 cannot keep.
// Its assertions end the process, so this is asked before anything reaches it.
absl::Status CheckNgtcp2Parameters(const EndpointParameters& parameters);

// What a peer said, as ngtcp2 is to understand it: it counts times in 64 bits of nanoseconds, in
// which one of many centuries would become a short one.
void LimitForNgtcp2(EndpointParameters& parameters);

// Writes what an endpoint says on every connection alike; the rest of `theirs` stays. `parameters`
// passed CheckNgtcp2Parameters. An infinite idle timeout is "never", zero.
void SetEndpointParameters(const EndpointParameters& parameters, ngtcp2_transport_params& theirs);

// What of `theirs` belongs to one connection, without a reserved parameter, which ngtcp2 does not
// know.
ConnectionParameters ConnectionParametersOf(const ngtcp2_transport_params& theirs);

}  // namespace sluice

#endif  // QUIC_TLS_NGTCP2_PARAMETERS_H_

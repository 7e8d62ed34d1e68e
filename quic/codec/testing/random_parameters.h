#ifndef QUIC_CODEC_TESTING_RANDOM_PARAMETERS_H_
#define QUIC_CODEC_TESTING_RANDOM_PARAMETERS_H_

#include <cstddef>
#include <cstdint>

#include "base/random_source.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {

// Sets the number of a row with is_number(), in the unit of the wire, legal or not.
void SetNumber(EndpointParameters& parameters, const TransportParameterRow& row, uint64_t number);

// The largest number of a row that a decoder gives back as it was.
uint64_t LargestKept(const TransportParameterRow& row);

// `size` random bytes, at most ConnectionId::kMaxSize.
ConnectionId RandomConnectionId(size_t size, RandomSource& random);

// A number that takes 1, 2, 4 or 8 bytes on the wire, as often each.
uint64_t RandomVarint(RandomSource& random);

// Good parameters of `sender`: some of those that he may send and all that he must; numbers of all
// sizes, as far as a decoder gives them back; perhaps a reserved one.
TransportParameters RandomParameters(Endpoint sender, RandomSource& random);

// Good parameters of a server whose encoding is as long as any can be.
TransportParameters LongestParameters(RandomSource& random);

}  // namespace sluice

#endif  // QUIC_CODEC_TESTING_RANDOM_PARAMETERS_H_

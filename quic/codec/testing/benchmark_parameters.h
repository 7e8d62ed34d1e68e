#ifndef QUIC_CODEC_TESTING_BENCHMARK_PARAMETERS_H_
#define QUIC_CODEC_TESTING_BENCHMARK_PARAMETERS_H_

#include <cstddef>
#include <vector>

#include "base/random_source.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {

// What benchmarks call `small`: what a server with ids of 8 bytes says, 95 bytes on the wire.
TransportParameters SmallParameters();

// What benchmarks call `varied`: the parameters of `small`, in each of `count` sets with numbers
// that take 1, 2, 4 or 8 bytes at random and ids of 4 to 20, so that no branch can be foretold.
std::vector<TransportParameters> VariedParameters(size_t count, RandomSource& random);

}  // namespace sluice

#endif  // QUIC_CODEC_TESTING_BENCHMARK_PARAMETERS_H_

#ifndef QUIC_CODEC_PARAMETER_SHUFFLE_H_
#define QUIC_CODEC_PARAMETER_SHUFFLE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"

namespace sluice {

// Puts encoded transport parameters into random order, in place, so that nobody comes to rely on
// ours. `block` is what an encoder wrote; anything else (bytes that do not parse, more parameters
// than an encoder writes) is left as it is. Allocates nothing.
void ShuffleParameters(absl::Span<uint8_t> block, RandomSource& random);

}  // namespace sluice

#endif  // QUIC_CODEC_PARAMETER_SHUFFLE_H_

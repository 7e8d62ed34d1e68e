#ifndef INTERCEPTOR_FEC_XOR_BYTES_H_
#define INTERCEPTOR_FEC_XOR_BYTES_H_

#include <cstdint>

#include "absl/types/span.h"

namespace sluice {

// Adds `from`, modulo 2, to the beginning of `to`, at the speed at which memory is read. They do
// not overlap. It is our mistake, and fatal, if `to` is shorter than `from`.
void XorBytes(absl::Span<uint8_t> to, absl::Span<const uint8_t> from);

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_XOR_BYTES_H_

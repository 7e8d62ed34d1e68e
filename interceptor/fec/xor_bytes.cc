#include "interceptor/fec/xor_bytes.h"

#include <cstddef>

#include "base/check.h"

namespace sluice {

// Compiled with -O3: the compiler makes vectors of it.
void XorBytes(absl::Span<uint8_t> to, absl::Span<const uint8_t> from) {
  SLUICE_CHECK(to.size() >= from.size());
  uint8_t* __restrict into = to.data();
  const uint8_t* __restrict with = from.data();
  const size_t size = from.size();
  for (size_t i = 0; i < size; ++i) {
    into[i] ^= with[i];
  }
}

}  // namespace sluice

#include "interceptor/fec/xor_bytes.h"

#include <cstddef>

#include "base/check.h"

namespace sluice {
namespace {

// Compiled with -O3: the compiler makes vectors of it, as wide as whoever it is inlined into may
// use.
[[gnu::always_inline]] inline void Xor(uint8_t* __restrict to, const uint8_t* __restrict from,
                                       size_t size) {
  for (size_t i = 0; i < size; ++i) {
    to[i] ^= from[i];
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void XorWide(uint8_t* to, const uint8_t* from, size_t size) {
  Xor(to, from, size);
}

bool HasWide() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#endif

}  // namespace

void XorBytes(absl::Span<uint8_t> to, absl::Span<const uint8_t> from) {
  SLUICE_CHECK(to.size() >= from.size());
#if defined(__x86_64__)
  if (HasWide()) {
    XorWide(to.data(), from.data(), from.size());
    return;
  }
#endif
  Xor(to.data(), from.data(), from.size());
}

}  // namespace sluice

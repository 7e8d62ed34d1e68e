#include "base/secret_bytes.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/types/span.h"

namespace sluice {

void WipeBytes(absl::Span<uint8_t> bytes) {
  if (bytes.empty()) return;
  std::memset(bytes.data(), 0, bytes.size());
  // The compiler must assume that this reads the memory, so the zeros have to be there.
  __asm__ __volatile__("" : : "r"(bytes.data()) : "memory");
}

bool ConstantTimeEquals(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b) {
  if (a.size() != b.size()) return false;
  uint8_t difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<uint8_t>(difference | (a[i] ^ b[i]));
    // Opaque to the compiler, so that it cannot leave the loop at the first difference.
    __asm__ __volatile__("" : "+r"(difference));
  }
  return difference == 0;
}

}  // namespace sluice

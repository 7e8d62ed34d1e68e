#ifndef BASE_RANDOM_SOURCE_H_
#define BASE_RANDOM_SOURCE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace sluice {

// Where random numbers come from. Randomness is an input: whoever needs it takes a RandomSource&,
// which is the operating system's or BoringSSL's generator in the product and a SeededRandom in
// tests. An implementation for the product must be fit for keys. Not thread-safe unless the
// implementation says so.
class RandomSource {
 public:
  virtual ~RandomSource() = default;

  // Overwrites all of `bytes`. Cannot fail: a source without entropy must stop the process.
  virtual void Fill(absl::Span<uint8_t> bytes) = 0;

  // Uniform over all values of the type.
  uint32_t NextU32();
  uint64_t NextU64();

  // Uniform over 0 .. bound - 1, without the bias of a modulo. `bound` is at least 1.
  uint64_t Below(uint64_t bound);
};

}  // namespace sluice

#endif  // BASE_RANDOM_SOURCE_H_

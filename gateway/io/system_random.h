#ifndef GATEWAY_IO_SYSTEM_RANDOM_H_
#define GATEWAY_IO_SYSTEM_RANDOM_H_

#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"

namespace sluice {

// The kernel's generator by getrandom(2): fit for keys, blocks only until the kernel was seeded at
// boot, aborts the process when the kernel has none. Has no state, so any thread may use any one.
class SystemRandom : public RandomSource {
 public:
  void Fill(absl::Span<uint8_t> bytes) override;
};

}  // namespace sluice

#endif  // GATEWAY_IO_SYSTEM_RANDOM_H_

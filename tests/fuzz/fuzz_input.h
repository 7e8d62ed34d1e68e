#ifndef TESTS_FUZZ_FUZZ_INPUT_H_
#define TESTS_FUZZ_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace sluice {

// Reads what a fuzzer made up, as small numbers. Where nothing is left it reads zeros, so that a
// shorter input means something too. Valid as long as the bytes.
class FuzzInput {
 public:
  explicit FuzzInput(absl::Span<const uint8_t> bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }

  uint8_t Byte() {
    if (rest_.empty()) {
      return 0;
    }
    const uint8_t byte = rest_[0];
    rest_.remove_prefix(1);
    return byte;
  }
  uint16_t Word() {
    const uint8_t high = Byte();
    return static_cast<uint16_t>((high << 8) | Byte());
  }
  // Fewer when there are fewer.
  absl::Span<const uint8_t> Bytes(size_t count) {
    const absl::Span<const uint8_t> bytes = rest_.first(std::min(count, rest_.size()));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

 private:
  absl::Span<const uint8_t> rest_;
};

}  // namespace sluice

#endif  // TESTS_FUZZ_FUZZ_INPUT_H_

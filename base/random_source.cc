#include "base/random_source.h"

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {

uint32_t RandomSource::NextU32() {
  std::array<uint8_t, 4> bytes;
  Fill(absl::MakeSpan(bytes));
  return LoadBe32(bytes.data());
}

uint64_t RandomSource::NextU64() {
  std::array<uint8_t, 8> bytes;
  Fill(absl::MakeSpan(bytes));
  return LoadBe64(bytes.data());
}

uint64_t RandomSource::Below(uint64_t bound) {
  SLUICE_CHECK(bound > 0);
  // 2^64 mod bound: the values below it are the incomplete last round, which would favour small
  // results. Fewer than half of all values are refused, so two draws are enough on average.
  const uint64_t refused = (0 - bound) % bound;
  uint64_t value = NextU64();
  while (value < refused) value = NextU64();
  return value % bound;
}

}  // namespace sluice

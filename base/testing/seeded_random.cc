#include "base/testing/seeded_random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {

uint64_t SeededRandom::SeedFromEnvOr(uint64_t seed) {
  const char* text = std::getenv("SLUICE_TEST_SEED");
  if (text == nullptr) return seed;
  uint64_t from_env = 0;
  const bool is_hex = absl::StartsWithIgnoreCase(text, "0x");
  SLUICE_CHECK(is_hex ? absl::SimpleHexAtoi(text, &from_env) : absl::SimpleAtoi(text, &from_env))
      << "SLUICE_TEST_SEED is not a 64-bit number: " << text;
  return from_env;
}

// Each call takes whole words, so the bytes do not depend on how earlier calls were cut: a Fill of
// 3 uses up one word.
void SeededRandom::Fill(absl::Span<uint8_t> bytes) {
  while (!bytes.empty()) {
    uint8_t word[8];
    StoreBe64(word, NextWord());
    const size_t n = std::min(bytes.size(), sizeof(word));
    CopyBytes(bytes, absl::MakeConstSpan(word, n));
    bytes.remove_prefix(n);
  }
}

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): one
// word of state, any seed is good, passes BigCrush.
uint64_t SeededRandom::NextWord() {
  state_ += 0x9E3779B97F4A7C15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace sluice

#ifndef BASE_TESTING_SEEDED_RANDOM_H_
#define BASE_TESTING_SEEDED_RANDOM_H_

#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"

namespace sluice {

// Random numbers that depend on the seed only, the same on every platform and compiler. For tests:
// anybody can predict it.
//
//   const uint64_t seed = SeededRandom::SeedFromEnvOr(42);
//   SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
//   SeededRandom random(seed);
class SeededRandom : public RandomSource {
 public:
  explicit SeededRandom(uint64_t seed) : seed_(seed), state_(seed) {}

  // The number in the environment variable SLUICE_TEST_SEED (decimal, or hex after 0x) if it is
  // set, else `seed`. Something else in the variable stops the test.
  static uint64_t SeedFromEnvOr(uint64_t seed);

  void Fill(absl::Span<uint8_t> bytes) override;

  uint64_t seed() const { return seed_; }

 private:
  uint64_t NextWord();

  const uint64_t seed_;
  uint64_t state_;
};

}  // namespace sluice

#endif  // BASE_TESTING_SEEDED_RANDOM_H_

#include "base/waiting_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/buffer_pool.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(WaitingBytesTest, HasABufferFromBeginToClear) {
  BufferPool pool(1, 16);
  BufferShare share(pool, 1);
  WaitingBytes waiting;
  WaitingBytes other;
  ASSERT_TRUE(waiting.Begin(share));
  EXPECT_FALSE(other.Begin(share));
  waiting.Clear();
  EXPECT_EQ(pool.free(), 1u);
  EXPECT_TRUE(other.Begin(share));
  EXPECT_EQ(other.size(), 0u);
}

TEST(WaitingBytesTest, GivesBytesInTheirOrderHoweverTheyComeAndGo) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(71);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  constexpr size_t kSize = 50;
  BufferPool pool(1, kSize);
  BufferShare share(pool, 1);
  WaitingBytes waiting;
  ASSERT_TRUE(waiting.Begin(share));
  std::vector<uint8_t> model;
  uint8_t next = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (random.Below(2) == 0) {
      std::vector<uint8_t> bytes(random.Below(kSize - model.size() + 1));
      for (uint8_t& byte : bytes) byte = next++;
      waiting.Append(bytes);
      model.insert(model.end(), bytes.begin(), bytes.end());
    } else {
      const size_t taken = random.Below(model.size() + 1);
      waiting.Consume(taken);
      model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    ASSERT_EQ(waiting.size(), model.size());
    ASSERT_EQ(waiting.bytes(), absl::MakeConstSpan(model));
  }
}

}  // namespace
}  // namespace sluice

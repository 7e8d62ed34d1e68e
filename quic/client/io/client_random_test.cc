#include "quic/client/io/client_random.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(ClientRandomTest, FillsAllAndNeverTheSame) {
  ClientRandom random;
  std::set<std::array<uint8_t, 32>> seen;
  for (int i = 0; i < 100; ++i) {
    std::array<uint8_t, 32> bytes = {};
    random.Fill(absl::MakeSpan(bytes));
    // Half of it zero by chance: never.
    EXPECT_LT(std::count(bytes.begin(), bytes.end(), 0), 16);
    EXPECT_TRUE(seen.insert(bytes).second);
  }
  random.Fill({});
}

}  // namespace
}  // namespace sluice

#include "quic/server/stateless_reset.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {
namespace {

StatelessReset Make(uint8_t first) {
  StatelessReset::Secret secret;
  secret.mutable_span()[0] = first;
  return StatelessReset(std::move(secret));
}

const ConnectionId kId(std::array<uint8_t, 4>{1, 2, 3, 4});

TEST(StatelessResetTest, TheTokenFollowsFromSecretAndId) {
  EXPECT_EQ(Make(1).TokenOf(kId), Make(1).TokenOf(kId));
  EXPECT_NE(Make(1).TokenOf(kId), Make(2).TokenOf(kId));
  EXPECT_NE(Make(1).TokenOf(kId), Make(1).TokenOf(ConnectionId()));
}

TEST(StatelessResetTest, IsSmallerThanWhatItAnswersAndEndsInTheToken) {
  const StatelessReset reset = Make(1);
  SeededRandom random(61);
  std::array<uint8_t, 100> out;
  for (size_t trigger = 0; trigger < 1500; ++trigger) {
    const size_t size = reset.Write(kId, trigger, random, absl::MakeSpan(out));
    if (trigger < 41) {
      EXPECT_EQ(size, 0u);
      continue;
    }
    // RFC 9000 section 10.3: at least 21.
    EXPECT_GE(size, 21u);
    EXPECT_LT(size, trigger);
    EXPECT_LE(size, StatelessReset::kMaxSize);
    EXPECT_EQ(out[0] & 0xc0, 0x40);
    const StatelessResetToken token = reset.TokenOf(kId);
    EXPECT_TRUE(
        std::equal(token.begin(), token.end(), out.begin() + static_cast<ptrdiff_t>(size) - 16));
  }
}

TEST(StatelessResetTest, NeedsRoom) {
  SeededRandom random(61);
  std::array<uint8_t, 39> out;
  EXPECT_EQ(Make(1).Write(kId, 41, random, absl::MakeSpan(out)), 0u);
}

}  // namespace
}  // namespace sluice

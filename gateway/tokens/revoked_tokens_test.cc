#include "gateway/tokens/revoked_tokens.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gateway/errors/error_detail.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);

TokenId Id(uint32_t number) {
  return TokenId::Parse(absl::StrCat(std::string(24, '0'), absl::Hex(number, absl::kZeroPad8)))
      .value();
}

TEST(RevokedTokensTest, HoldsWhatWasRevokedAndNothingElse) {
  RevokedTokens revoked(10);
  EXPECT_FALSE(revoked.Contains(Id(1)));
  EXPECT_TRUE(revoked.Revoke(Id(1), kStart + absl::Hours(1), kStart).ok());
  EXPECT_TRUE(revoked.Contains(Id(1)));
  EXPECT_FALSE(revoked.Contains(Id(2)));
  EXPECT_EQ(revoked.used(), 1u);
}

TEST(RevokedTokensTest, RevokingAgainTakesNoMoreRoom) {
  RevokedTokens revoked(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(revoked.Revoke(Id(1), kStart + absl::Hours(1), kStart).ok());
  }
  EXPECT_EQ(revoked.used(), 1u);
  EXPECT_EQ(revoked.refused(), 0u);
}

TEST(RevokedTokensTest, WhenFullARevocationIsRefusedByName) {
  RevokedTokens revoked(2);
  EXPECT_TRUE(revoked.Revoke(Id(1), kStart + absl::Hours(1), kStart).ok());
  EXPECT_TRUE(revoked.Revoke(Id(2), kStart + absl::Hours(2), kStart).ok());
  const absl::Status status = revoked.Revoke(Id(3), kStart + absl::Hours(3), kStart);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  const std::optional<ErrorDetail> detail = GetErrorDetail(status);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->subject, "revoked_tokens");
  EXPECT_EQ(revoked.refused(), 1u);
  EXPECT_FALSE(revoked.Contains(Id(3)));
  EXPECT_TRUE(revoked.Contains(Id(1)));
  EXPECT_TRUE(revoked.Contains(Id(2)));
}

TEST(RevokedTokensTest, ExpiredOnesMakeRoom) {
  RevokedTokens revoked(2);
  EXPECT_TRUE(revoked.Revoke(Id(1), kStart + absl::Hours(1), kStart).ok());
  EXPECT_TRUE(revoked.Revoke(Id(2), kStart + absl::Hours(2), kStart).ok());
  const absl::Time later = kStart + absl::Hours(1);
  EXPECT_TRUE(revoked.Revoke(Id(3), later + absl::Hours(1), later).ok());
  EXPECT_TRUE(revoked.Contains(Id(2)));
  EXPECT_TRUE(revoked.Contains(Id(3)));
  EXPECT_EQ(revoked.used(), 2u);
}

TEST(RevokedTokensTest, ARevocationIsNeverShortened) {
  RevokedTokens revoked(1);
  EXPECT_TRUE(revoked.Revoke(Id(1), kStart + absl::Hours(2), kStart).ok());
  EXPECT_TRUE(revoked.Revoke(Id(1), kStart + absl::Hours(1), kStart).ok());
  const absl::Time later = kStart + absl::Minutes(90);
  EXPECT_FALSE(revoked.Revoke(Id(2), later + absl::Hours(1), later).ok());
  EXPECT_TRUE(revoked.Contains(Id(1)));
}

// Against a map that forgets nothing: what is revoked and not expired is always there, and a
// refusal comes only when there are really as many.
TEST(RevokedTokensTest, BehavesLikeAMapThatForgetsNothing) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(7);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  constexpr size_t kMax = 16;
  RevokedTokens revoked(kMax);
  std::map<uint32_t, absl::Time> model;
  absl::Time now = kStart;
  uint64_t refusals = 0;
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t number = static_cast<uint32_t>(random.Below(64));
    if (random.Below(4) == 0) {
      now += absl::Seconds(static_cast<int64_t>(random.Below(60)));
    }
    const absl::Time expires = now + absl::Seconds(1 + static_cast<int64_t>(random.Below(600)));
    const auto unexpired = [&] {
      size_t count = 0;
      for (const auto& [id, at] : model) {
        count += at > now ? 1 : 0;
      }
      return count;
    };
    const absl::Status status = revoked.Revoke(Id(number), expires, now);
    if (status.ok()) {
      absl::Time& at = model.emplace(number, expires).first->second;
      at = std::max(at, expires);
    } else {
      ++refusals;
      ASSERT_EQ(unexpired(), kMax) << "refused with room, at step " << step;
    }
    ASSERT_LE(revoked.used(), kMax);
    for (const auto& [id, at] : model) {
      ASSERT_TRUE(at <= now || revoked.Contains(Id(id))) << id << " is valid again at " << step;
    }
    ASSERT_FALSE(revoked.Contains(Id(1000))) << step;
  }
  EXPECT_EQ(revoked.refused(), refusals);
  EXPECT_GT(refusals, 100u) << "the test never filled it";
  EXPECT_LT(refusals, 19'900u) << "the test never got in";
}

}  // namespace
}  // namespace sluice

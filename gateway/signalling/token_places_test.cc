#include "gateway/signalling/token_places.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/testing/seeded_random.h"
#include "gateway/errors/error_detail.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(TokenPlacesTest, OneTokenHasAsManyAsItMay) {
  for (const TokenBound& bound : {kStreamsPerToken, kCallsPerToken}) {
    SeededRandom random(1);
    const TokenId id = TokenId::Random(random);
    TokenPlaces places(bound);
    std::vector<TokenPlaces::Place> taken;
    for (size_t i = 0; i < bound.places; ++i) {
      auto place = places.Take(id);
      ASSERT_TRUE(place.ok()) << i;
      taken.push_back(*std::move(place));
    }
    const absl::Status refused = places.Take(id).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(GetErrorDetail(refused)->subject, bound.limit);
    EXPECT_TRUE(places.Take(TokenId::Random(random)).ok()) << "others are not concerned";
    taken.pop_back();
    EXPECT_TRUE(places.Take(id).ok()) << "what ended makes room";
  }
}

TEST(TokenPlacesTest, NothingIsKeptOfTokensWithoutPlaces) {
  SeededRandom random(1);
  TokenPlaces places(kStreamsPerToken);
  {
    auto place = places.Take(TokenId::Random(random));
    ASSERT_TRUE(place.ok());
    const TokenPlaces::Place moved = *std::move(place);
    EXPECT_EQ(places.tokens(), 1u);
  }
  EXPECT_EQ(places.tokens(), 0u);
}

}  // namespace
}  // namespace sluice

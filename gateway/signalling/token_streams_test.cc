#include "gateway/signalling/token_streams.h"

#include <utility>

#include "absl/status/status.h"
#include "base/testing/seeded_random.h"
#include "gateway/errors/error_detail.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(TokenStreamsTest, OneTokenHasTwoStreamsAtMost) {
  SeededRandom random(1);
  const TokenId id = TokenId::Random(random);
  TokenStreams streams;
  auto first = streams.Take(id);
  {
    const auto second = streams.Take(id);
    ASSERT_TRUE(first.ok() && second.ok());
    const absl::Status third = streams.Take(id).status();
    EXPECT_EQ(third.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(GetErrorDetail(third)->subject, "streams_per_token");
    EXPECT_TRUE(streams.Take(TokenId::Random(random)).ok()) << "others are not concerned";
  }
  EXPECT_TRUE(streams.Take(id).ok()) << "a stream that ended makes room";
}

TEST(TokenStreamsTest, NothingIsKeptOfTokensWithoutStreams) {
  SeededRandom random(1);
  TokenStreams streams;
  {
    auto place = streams.Take(TokenId::Random(random));
    ASSERT_TRUE(place.ok());
    const TokenStreams::Place moved = *std::move(place);
    EXPECT_EQ(streams.tokens(), 1u);
  }
  EXPECT_EQ(streams.tokens(), 0u);
}

}  // namespace
}  // namespace sluice

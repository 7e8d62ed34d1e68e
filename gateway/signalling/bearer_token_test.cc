#include "gateway/signalling/bearer_token.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(BearerTokenTest, IsWhatStandsBehindTheScheme) {
  EXPECT_EQ(BearerToken("Bearer a.b.c"), "a.b.c");
  EXPECT_EQ(BearerToken("bearer a.b.c"), "a.b.c");
  EXPECT_EQ(BearerToken("BEARER   a.b.c"), "a.b.c");
}

TEST(BearerTokenTest, OtherSchemesHaveNone) {
  for (const absl::string_view header : {"", "Bearer", "Bearer ", "Bearer   ", "a.b.c",
                                         "Basic a.b.c", "Bearera.b.c", " Bearer a", "Bearer\ta"}) {
    EXPECT_FALSE(BearerToken(header).has_value()) << header;
  }
}

}  // namespace
}  // namespace sluice

#include "gateway/tokens/token_verdict.h"

#include <cstddef>
#include <set>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(TokenVerdictTest, EveryVerdictHasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (size_t i = 0; i < kTokenVerdicts; ++i) {
    names.insert(TokenVerdictName(static_cast<TokenVerdict>(i)));
  }
  EXPECT_EQ(names.size(), kTokenVerdicts);
  EXPECT_EQ(names.count("unknown"), 0u);
}

TEST(TokenVerdictTest, ARefusalIsUnauthenticatedWithOneWord) {
  EXPECT_TRUE(ToStatus(TokenVerdict::kOk).ok());
  for (size_t i = 1; i < kTokenVerdicts; ++i) {
    EXPECT_EQ(ToStatus(static_cast<TokenVerdict>(i)).code(), absl::StatusCode::kUnauthenticated);
  }
  EXPECT_EQ(ToStatus(TokenVerdict::kExpired).message(), "token: expired");
}

}  // namespace
}  // namespace sluice

#include "gateway/tokens/token_id.h"

#include <optional>
#include <string>

#include "absl/hash/hash_testing.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr char kText[] = "00112233445566778899aabbccddeeff";

TEST(TokenIdTest, TextIsReadAndWrittenBack) {
  const std::optional<TokenId> id = TokenId::Parse(kText);
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(id->ToString(), kText);
}

TEST(TokenIdTest, OneIdHasOneText) {
  std::string upper = kText;
  upper.back() = 'F';
  for (const std::string& wrong :
       {std::string(), std::string(kText, 31), std::string(kText) + "0", upper,
        std::string(31, '0') + "g", std::string(31, '0') + " ", std::string(32, '\0')}) {
    EXPECT_FALSE(TokenId::Parse(wrong).has_value()) << wrong;
  }
}

TEST(TokenIdTest, AllBitsAreRandom) {
  SeededRandom random(1);
  const TokenId first = TokenId::Random(random);
  const TokenId second = TokenId::Random(random);
  EXPECT_NE(first, second);
  EXPECT_EQ(TokenId::Parse(first.ToString()), first);
  SeededRandom again(1);
  EXPECT_EQ(TokenId::Random(again), first);
}

TEST(TokenIdTest, EqualIdsHaveEqualHashes) {
  SeededRandom random(2);
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly(
      {TokenId(), TokenId::Random(random), TokenId::Random(random)}));
}

}  // namespace
}  // namespace sluice

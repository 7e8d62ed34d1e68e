#include "gateway/control/id_check.h"

#include <string>

#include "gateway/control/field_violations.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

bool IsId(const std::string& id) {
  FieldViolations violations;
  CheckId("session_id", id, violations);
  return violations.empty();
}

TEST(IdCheckTest, TakesUnreservedCharactersOfUrls) {
  EXPECT_TRUE(IsId("a"));
  EXPECT_TRUE(IsId("AZaz09._~-"));
  EXPECT_TRUE(IsId(std::string(128, 'x')));
}

TEST(IdCheckTest, RefusesEverythingElse) {
  EXPECT_FALSE(IsId(""));
  EXPECT_FALSE(IsId(std::string(129, 'x')));
  for (int c = 0; c < 256; ++c) {
    const std::string id(1, static_cast<char>(c));
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '~' || c == '-';
    EXPECT_EQ(IsId(id), unreserved) << c;
    EXPECT_EQ(HasIdCharacters(id), unreserved) << c;
  }
}

TEST(IdCheckTest, NamesTheFieldAndTheRule) {
  FieldViolations violations;
  CheckId("rules[1].from_leg_id", std::string(200, 'x'), violations);
  EXPECT_EQ(violations.ToStatus().message(),
            "rules[1].from_leg_id: must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, has 200");
}

}  // namespace
}  // namespace sluice

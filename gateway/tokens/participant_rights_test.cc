#include "gateway/tokens/participant_rights.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(ParticipantRightsTest, NamesAreReadBack) {
  for (const ParticipantRightRow& row : kParticipantRights) {
    EXPECT_EQ(ParseParticipantRight(row.name), row.right);
    EXPECT_EQ(ParticipantRightName(row.right), row.name);
  }
  for (const absl::string_view wrong : {"", "Join", "joi", "join ", "all"}) {
    EXPECT_FALSE(ParseParticipantRight(wrong).has_value()) << wrong;
  }
}

TEST(ParticipantRightsTest, ASetHasWhatWasAddedAndNothingElse) {
  for (const ParticipantRightRow& only : kParticipantRights) {
    ParticipantRights rights;
    EXPECT_TRUE(rights.empty());
    rights.Add(only.right);
    EXPECT_FALSE(rights.empty());
    for (const ParticipantRightRow& row : kParticipantRights) {
      EXPECT_EQ(rights.Has(row.right), row.right == only.right) << only.name << " " << row.name;
    }
  }
}

TEST(ParticipantRightsTest, AllIsEveryRowOfTheTable) {
  ParticipantRights rights;
  for (const ParticipantRightRow& row : kParticipantRights) {
    EXPECT_NE(rights, ParticipantRights::All()) << row.name;
    rights.Add(row.right);
  }
  EXPECT_EQ(rights, ParticipantRights::All());
}

}  // namespace
}  // namespace sluice

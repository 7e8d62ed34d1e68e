#include "gateway/tokens/participant_claims.h"

#include <optional>
#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr char kJson[] =
    R"({"iss":"sluice","sub":"call-1/alice","jti":"00112233445566778899aabbccddeeff",)"
    R"("iat":1700000000,"exp":1700003600,"sid":"call-1","leg":"alice",)"
    R"("rights":["join","leave"]})";

ParticipantClaims Claims() {
  ParticipantClaims claims;
  claims.id = TokenId::Parse("00112233445566778899aabbccddeeff").value();
  claims.session_id = "call-1";
  claims.leg_id = "alice";
  claims.rights.Add(ParticipantRight::kJoin);
  claims.rights.Add(ParticipantRight::kLeave);
  claims.issued = absl::FromUnixSeconds(1'700'000'000);
  claims.expires = absl::FromUnixSeconds(1'700'003'600);
  return claims;
}

// kJson with one place changed.
std::string With(absl::string_view from, absl::string_view to) {
  std::string json = absl::StrReplaceAll(kJson, {{from, to}});
  EXPECT_NE(json, kJson) << from;
  return json;
}

TEST(ParticipantClaimsTest, JsonHasTheRegisteredNamesAndNumericDates) {
  EXPECT_EQ(ToJson(Claims()), kJson);
}

TEST(ParticipantClaimsTest, JsonIsReadBack) { EXPECT_EQ(ParseClaims(kJson), Claims()); }

TEST(ParticipantClaimsTest, FractionsOfSecondsAreCut) {
  ParticipantClaims claims = Claims();
  claims.issued += absl::Milliseconds(999);
  claims.expires += absl::Milliseconds(999);
  EXPECT_EQ(ParseClaims(ToJson(claims)), Claims());
}

TEST(ParticipantClaimsTest, WithoutRightsThereAreNone) {
  ParticipantClaims claims = Claims();
  claims.rights = ParticipantRights();
  const std::optional<ParticipantClaims> read = ParseClaims(ToJson(claims));
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->rights.empty());
}

TEST(ParticipantClaimsTest, UnknownClaimsAndRightsAreIgnored) {
  EXPECT_EQ(ParseClaims(With("\"iss\":", R"("nbf":5,"x":{"y":[1,2,{}]},"iss":)")), Claims());
  EXPECT_EQ(ParseClaims(With("\"join\",", R"("join","fly",)")), Claims());
}

TEST(ParticipantClaimsTest, WhatIsNotOursIsRefused) {
  const std::string long_id(129, 'a');
  for (const std::string& wrong : {std::string(),
                                   std::string("null"),
                                   std::string("[]"),
                                   std::string("{}"),
                                   std::string("{\"iss\":\"sluice\"}"),
                                   With("sluice", "other"),
                                   With("call-1/", "call-2/"),
                                   With("\"leg\":\"alice\"", "\"leg\":\"bob\""),
                                   With("\"sid\":\"call-1\"", "\"sid\":\"\""),
                                   With("eeff", "eefF"),
                                   With("eeff", "eef"),
                                   With("1700003600", "1700000000"),
                                   With("1700003600", "1699999999"),
                                   With("1700003600", "1700086401"),
                                   With("1700003600", "-1"),
                                   With("1700003600", "4294967296"),
                                   With("1700003600", "\"tomorrow\""),
                                   With("alice", long_id),
                                   With("call-1", long_id),
                                   With("alice\",", "al ice\","),
                                   With("call-1", "call/1"),
                                   With("alice", "\xff"),
                                   With("{\"iss\"", "\"iss\"")}) {
    EXPECT_FALSE(ParseClaims(wrong).has_value()) << wrong;
  }
}

TEST(ParticipantClaimsTest, TheLongestLifetimeIsStillRead) {
  EXPECT_TRUE(ParseClaims(With("1700003600", "1700086400")).has_value());
}

}  // namespace
}  // namespace sluice

#include "gateway/tokens/token_authority.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

const absl::Time kIssued = absl::FromUnixSeconds(1'700'000'000);
const absl::Time kExpires = kIssued + absl::Hours(1);
const absl::Time kDuring = kIssued + absl::Minutes(10);

constexpr char kKey[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
constexpr char kOtherKey[] = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
// hmac.new(bytes(range(32)), header + b"." + claims, "sha256") by Python, claims as in Claims().
constexpr char kToken[] =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
    "eyJpc3MiOiJzbHVpY2UiLCJzdWIiOiJjYWxsLTEvYWxpY2UiLCJqdGkiOiIwMDExMjIzMzQ0NTU2Njc3"
    "ODg5OWFhYmJjY2RkZWVmZiIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjoxNzAwMDAzNjAwLCJzaWQiOiJj"
    "YWxsLTEiLCJsZWciOiJhbGljZSIsInJpZ2h0cyI6WyJqb2luIiwidXBkYXRlIiwibGVhdmUiLCJldmVu"
    "dHMiXX0."
    "j61bAGloL6TG3EgpRf3Vv5mo4Ero4Qf4M9DucVNOQ90";

TokenAuthority Authority(const std::string& keys = kKey, size_t max_revoked = 4) {
  return TokenAuthority(ParseTokenKeys(keys).value(), max_revoked);
}

ParticipantClaims Claims() {
  ParticipantClaims claims;
  claims.id = TokenId::Parse("00112233445566778899aabbccddeeff").value();
  claims.session_id = "call-1";
  claims.leg_id = "alice";
  claims.rights = ParticipantRights::All();
  claims.issued = kIssued;
  claims.expires = kExpires;
  return claims;
}

TokenVerdict Try(TokenAuthority& authority, absl::string_view token, absl::Time now = kDuring) {
  ParticipantClaims claims;
  claims.session_id = "untouched";
  const TokenVerdict verdict = authority.Verify(token, now, claims);
  EXPECT_EQ(verdict == TokenVerdict::kOk, claims.session_id != "untouched");
  return verdict;
}

TEST(TokenAuthorityTest, TokensAreThoseOfAnotherImplementation) {
  TokenAuthority authority = Authority();
  EXPECT_EQ(authority.Mint(Claims()), kToken);
  ParticipantClaims claims;
  EXPECT_EQ(authority.Verify(kToken, kDuring, claims), TokenVerdict::kOk);
  EXPECT_EQ(claims, Claims());
}

TEST(TokenAuthorityTest, TheHeaderIsExactlyThis) {
  std::string header;
  const std::string token = Authority().Mint(Claims());
  ASSERT_TRUE(absl::WebSafeBase64Unescape(token.substr(0, token.find('.')), &header));
  EXPECT_EQ(header, R"({"alg":"HS256","typ":"JWT"})");
}

TEST(TokenAuthorityTest, TheLargestTokenThatIsMadeIsTaken) {
  TokenAuthority authority = Authority();
  ParticipantClaims claims = Claims();
  claims.session_id = std::string(kMaxClaimIdSize, 's');
  claims.leg_id = std::string(kMaxClaimIdSize, 'l');
  const std::string token = authority.Mint(claims);
  EXPECT_LE(token.size(), 1100u);
  ParticipantClaims read;
  EXPECT_EQ(authority.Verify(token, kDuring, read), TokenVerdict::kOk);
  EXPECT_EQ(read, claims);
}

TEST(TokenAuthorityTest, IsValidFromItsFirstSecondToTheLastBeforeItsEnd) {
  TokenAuthority authority = Authority();
  const std::string token = authority.Mint(Claims());
  EXPECT_EQ(Try(authority, token, kIssued - absl::Nanoseconds(1)), TokenVerdict::kNotYetValid);
  EXPECT_EQ(Try(authority, token, kIssued - absl::Seconds(1)), TokenVerdict::kNotYetValid);
  EXPECT_EQ(Try(authority, token, kIssued), TokenVerdict::kOk);
  EXPECT_EQ(Try(authority, token, kExpires - absl::Nanoseconds(1)), TokenVerdict::kOk);
  EXPECT_EQ(Try(authority, token, kExpires), TokenVerdict::kExpired);
  EXPECT_EQ(Try(authority, token, kExpires + absl::Seconds(1)), TokenVerdict::kExpired);
  EXPECT_EQ(Try(authority, token, absl::InfiniteFuture()), TokenVerdict::kExpired);
}

TEST(TokenAuthorityTest, NoBitOfATokenCanBeChanged) {
  TokenAuthority authority = Authority();
  const std::string token = authority.Mint(Claims());
  ASSERT_EQ(Try(authority, token), TokenVerdict::kOk);
  for (size_t i = 0; i < token.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = token;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      const TokenVerdict verdict = Try(authority, changed);
      EXPECT_TRUE(verdict == TokenVerdict::kMalformed || verdict == TokenVerdict::kBadSignature)
          << "byte " << i << " bit " << bit;
    }
  }
}

TEST(TokenAuthorityTest, NothingCanBeLeftOutOrPutIn) {
  TokenAuthority authority = Authority();
  const std::string token = authority.Mint(Claims());
  for (size_t size = 0; size < token.size(); ++size) {
    EXPECT_NE(Try(authority, token.substr(0, size)), TokenVerdict::kOk) << size;
    EXPECT_NE(Try(authority, token.substr(token.size() - size)), TokenVerdict::kOk) << size;
  }
  for (const char c : {'A', '.', '=', ' ', '\0', '\n'}) {
    for (size_t at = 0; at <= token.size(); ++at) {
      std::string longer = token;
      longer.insert(at, 1, c);
      EXPECT_NE(Try(authority, longer), TokenVerdict::kOk) << at;
    }
  }
}

TEST(TokenAuthorityTest, NoOtherAlgorithmIsTaken) {
  TokenAuthority authority = Authority();
  const std::string token = authority.Mint(Claims());
  const std::vector<std::string> parts = absl::StrSplit(token, '.');
  for (const absl::string_view header :
       {R"({"alg":"none"})", R"({"alg":"none","typ":"JWT"})", R"({"alg":"HS512","typ":"JWT"})",
        R"({"alg":"RS256","typ":"JWT"})", R"({"typ":"JWT","alg":"HS256"})", R"({"alg":"HS256"})",
        R"({"alg":"hs256","typ":"JWT"})", R"({"alg": "HS256","typ":"JWT"})",
        R"({"alg":"HS256","typ":"JWT","jku":"http://192.0.2.1"})", ""}) {
    const std::string other = absl::WebSafeBase64Escape(header);
    EXPECT_EQ(Try(authority, absl::StrCat(other, ".", parts[1], ".", parts[2])),
              TokenVerdict::kMalformed)
        << header;
    EXPECT_EQ(Try(authority, absl::StrCat(other, ".", parts[1], ".")), TokenVerdict::kMalformed)
        << header;
    EXPECT_EQ(Try(authority, absl::StrCat(other, ".", parts[1])), TokenVerdict::kMalformed)
        << header;
  }
}

// As a controller with the key file could sign them, and we do not.
TEST(TokenAuthorityTest, WhatIsSignedAndNotOursIsMalformed) {
  TokenAuthority authority = Authority();
  for (const absl::string_view token : {
           // {}
           "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
           "e30.DipNCdRGLGdEmU3c9TMc6QJbme-uECl_u_c9v7k8fjU",
           // []
           "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
           "W10.0uBH8hqCj3ye8hu6PR-tKZq696Ax4bH5Oq2kvTO-4Pk",
           // nonsense
           "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
           "bm9uc2Vuc2U.NnxLYNfj80o-GCdzMJkyv_uQot2uv8Udifn8eF_tXc4",
           // {"iss":"other"}
           "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
           "eyJpc3MiOiJvdGhlciJ9.qcfufpb-YOczhYbMCZ2XwVj46h4PhgXCu9lQ12P4XqU",
           // no base64
           "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
           "!!!!.F8B0dnFXO3-AteTMsavOSRKLi6oX7xyvbf3HDxNE7os",
       }) {
    EXPECT_EQ(Try(authority, token), TokenVerdict::kMalformed) << token;
  }
}

TEST(TokenAuthorityTest, WhatIsTooLongIsMalformed) {
  TokenAuthority authority = Authority();
  const std::string token = authority.Mint(Claims());
  const size_t dot = token.rfind('.');
  for (const size_t size : {kMaxTokenSize, kMaxTokenSize + 1, size_t{1} << 20}) {
    const std::string longer =
        token.substr(0, dot) + std::string(size - token.size(), 'A') + token.substr(dot);
    ASSERT_EQ(longer.size(), size);
    EXPECT_EQ(Try(authority, longer),
              size <= kMaxTokenSize ? TokenVerdict::kBadSignature : TokenVerdict::kMalformed);
  }
}

TEST(TokenAuthorityTest, AForeignKeyIsABadSignature) {
  TokenAuthority authority = Authority();
  EXPECT_EQ(Try(authority, Authority(kOtherKey).Mint(Claims())), TokenVerdict::kBadSignature);
}

TEST(TokenAuthorityTest, TokensOfThePreviousKeyLiveOn) {
  TokenAuthority before = Authority(kOtherKey);
  TokenAuthority rotated = Authority(absl::StrCat(kKey, "\n", kOtherKey));
  TokenAuthority after = Authority(kKey);
  const std::string old_token = before.Mint(Claims());
  EXPECT_EQ(Try(rotated, old_token), TokenVerdict::kOk);
  EXPECT_EQ(Try(after, old_token), TokenVerdict::kBadSignature);
  const std::string new_token = rotated.Mint(Claims());
  EXPECT_EQ(Try(after, new_token), TokenVerdict::kOk) << "new tokens are under the current key";
  EXPECT_EQ(Try(before, new_token), TokenVerdict::kBadSignature);
}

TEST(TokenAuthorityTest, ARevokedTokenIsNeverValidAgain) {
  TokenAuthority authority = Authority();
  const std::string token = authority.Mint(Claims());
  ParticipantClaims other = Claims();
  other.id = TokenId();
  EXPECT_TRUE(authority.Revoke(Claims().id, kDuring).ok());
  EXPECT_TRUE(authority.Revoke(Claims().id, kDuring).ok());
  EXPECT_EQ(Try(authority, token), TokenVerdict::kRevoked);
  EXPECT_EQ(Try(authority, token, kExpires - absl::Seconds(1)), TokenVerdict::kRevoked);
  EXPECT_EQ(Try(authority, token, kExpires), TokenVerdict::kExpired);
  EXPECT_EQ(Try(authority, authority.Mint(other)), TokenVerdict::kOk);
  EXPECT_EQ(authority.revoked().used(), 1u);
}

TEST(TokenAuthorityTest, ClaimsAreJudgedAgainWhileACallGoesOn) {
  TokenAuthority authority = Authority();
  EXPECT_EQ(authority.Recheck(Claims(), kDuring), TokenVerdict::kOk);
  EXPECT_EQ(authority.Recheck(Claims(), kExpires), TokenVerdict::kExpired);
  EXPECT_TRUE(authority.Revoke(Claims().id, kDuring).ok());
  EXPECT_EQ(authority.Recheck(Claims(), kDuring), TokenVerdict::kRevoked);
}

TEST(TokenAuthorityTest, VerdictsAreCounted) {
  TokenAuthority authority = Authority();
  const std::string token = authority.Mint(Claims());
  (void)Try(authority, token);
  (void)Try(authority, token);
  (void)Try(authority, "");
  (void)Try(authority, Authority(kOtherKey).Mint(Claims()));
  (void)Try(authority, token, kExpires);
  EXPECT_EQ(authority.count(TokenVerdict::kOk), 2u);
  EXPECT_EQ(authority.count(TokenVerdict::kMalformed), 1u);
  EXPECT_EQ(authority.count(TokenVerdict::kBadSignature), 1u);
  EXPECT_EQ(authority.count(TokenVerdict::kExpired), 1u);
  EXPECT_EQ(authority.count(TokenVerdict::kNotYetValid), 0u);
  EXPECT_EQ(authority.count(TokenVerdict::kRevoked), 0u);
}

}  // namespace
}  // namespace sluice

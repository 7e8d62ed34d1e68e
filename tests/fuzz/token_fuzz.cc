// Any bytes as a participant's token, and as the claims of one.
//
// The first byte says what the rest is (by its remainder of 3):
//   0  a token: believed only if it is one that was made here
//   1  JSON that somebody with the key signed: what is read of it is good and is read again alike
//   2  a place and a value: one character of a good token is changed, which spoils it

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "gateway/tokens/participant_claims.h"
#include "gateway/tokens/token_authority.h"
#include "gateway/tokens/token_keys.h"
#include "gateway/tokens/token_verdict.h"

namespace sluice {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

TokenAuthority& Authority() {
  static TokenAuthority& authority = *new TokenAuthority(
      ParseTokenKeys(std::string(64, '1') + "\n" + std::string(64, '2')).value(), 4);
  return authority;
}

const std::string& GoodToken() {
  static const std::string& token = *new std::string([] {
    ParticipantClaims claims;
    claims.session_id = "call-1";
    claims.leg_id = "alice";
    claims.rights = ParticipantRights::All();
    claims.issued = kNow;
    claims.expires = kNow + kDefaultTokenLifetime;
    return Authority().Mint(claims);
  }());
  return token;
}

void Judge(absl::string_view token) {
  ParticipantClaims claims;
  const TokenVerdict verdict = Authority().Verify(token, kNow, claims);
  SLUICE_CHECK((verdict == TokenVerdict::kOk) == (token == GoodToken()));
  SLUICE_CHECK(verdict == TokenVerdict::kOk || !ToStatus(verdict).ok());
}

void ReadClaims(absl::string_view json) {
  const std::optional<ParticipantClaims> claims = ParseClaims(json);
  if (!claims.has_value()) {
    return;
  }
  SLUICE_CHECK(!claims->session_id.empty() && claims->session_id.size() <= kMaxClaimIdSize);
  SLUICE_CHECK(!claims->leg_id.empty() && claims->leg_id.size() <= kMaxClaimIdSize);
  SLUICE_CHECK(claims->issued < claims->expires);
  SLUICE_CHECK(claims->expires - claims->issued <= kMaxTokenLifetime);
  SLUICE_CHECK(ParseClaims(ToJson(*claims)) == claims);
}

void Spoil(absl::Span<const uint8_t> input) {
  if (input.size() < 3) {
    return;
  }
  std::string token = GoodToken();
  token[(input[0] << 8 | input[1]) % token.size()] = static_cast<char>(input[2]);
  Judge(token);
}

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = absl::MakeConstSpan(data, size);
  if (input.empty()) {
    return 0;
  }
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (input[0] % 3) {
    case 0:
      sluice::Judge(text);
      break;
    case 1:
      sluice::ReadClaims(text);
      break;
    default:
      sluice::Spoil(input.subspan(1));
  }
  return 0;
}

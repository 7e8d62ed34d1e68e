#include "gateway/tokens/token_verdict.h"

#include "absl/strings/str_cat.h"

namespace sluice {

absl::string_view TokenVerdictName(TokenVerdict verdict) {
  switch (verdict) {
    case TokenVerdict::kOk:
      return "ok";
    case TokenVerdict::kMalformed:
      return "malformed";
    case TokenVerdict::kBadSignature:
      return "bad_signature";
    case TokenVerdict::kNotYetValid:
      return "not_yet_valid";
    case TokenVerdict::kExpired:
      return "expired";
    case TokenVerdict::kRevoked:
      return "revoked";
  }
  return "unknown";
}

absl::Status ToStatus(TokenVerdict verdict) {
  return verdict == TokenVerdict::kOk
             ? absl::OkStatus()
             : absl::UnauthenticatedError(absl::StrCat("token: ", TokenVerdictName(verdict)));
}

}  // namespace sluice

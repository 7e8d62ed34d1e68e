#ifndef GATEWAY_TOKENS_TOKEN_VERDICT_H_
#define GATEWAY_TOKENS_TOKEN_VERDICT_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace sluice {

// What a token is worth. The order is that of the checks: what nobody with a key has signed is not
// looked into.
enum class TokenVerdict : uint8_t {
  kOk,
  // No token of this gateway has that form.
  kMalformed,
  // Signed with another key, or changed since.
  kBadSignature,
  kNotYetValid,
  kExpired,
  kRevoked,
};
inline constexpr size_t kTokenVerdicts = 6;

// "expired".
absl::string_view TokenVerdictName(TokenVerdict verdict);

// OK, or Unauthenticated with that one word: what is wrong, and not where.
absl::Status ToStatus(TokenVerdict verdict);

}  // namespace sluice

#endif  // GATEWAY_TOKENS_TOKEN_VERDICT_H_

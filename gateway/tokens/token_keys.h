#ifndef GATEWAY_TOKENS_TOKEN_KEYS_H_
#define GATEWAY_TOKENS_TOKEN_KEYS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/random_source.h"
#include "base/secret_bytes.h"

namespace sluice {

// As long as the digest (RFC 7518 section 3.2).
inline constexpr size_t kTokenKeySize = 32;
using TokenKey = SecretBytes<kTokenKeySize>;

// What tokens are signed with.
struct TokenKeys {
  TokenKey current;
  // Tokens under it are still taken, and no new ones are made.
  std::optional<TokenKey> previous;
};

// A key that nobody else has: tokens end with the process.
TokenKeys GenerateTokenKeys(RandomSource& random);

// One or two lines of 64 hex digits each: current, previous. Blanks around them and empty lines are
// ignored. InvalidArgument with a sentence that has nothing of the text in it.
absl::StatusOr<TokenKeys> ParseTokenKeys(absl::string_view text);

// The same from a file, which others than its owner and group must not be able to read, and nobody
// but its owner to write. Errors name the file.
absl::StatusOr<TokenKeys> LoadTokenKeys(const std::string& path);

}  // namespace sluice

#endif  // GATEWAY_TOKENS_TOKEN_KEYS_H_

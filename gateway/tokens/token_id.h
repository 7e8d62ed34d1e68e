#ifndef GATEWAY_TOKENS_TOKEN_ID_H_
#define GATEWAY_TOKENS_TOKEN_ID_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/random_source.h"

namespace sluice {

// What a participant's token is revoked by: 128 random bits. Not secret: whoever knows it can use
// nothing with it. Value; any thread.
class TokenId {
 public:
  static constexpr size_t kBytes = 16;
  // Of the text form.
  static constexpr size_t kTextSize = 2 * kBytes;

  // All zero.
  TokenId() : bytes_{} {}

  static TokenId Random(RandomSource& random);

  // Exactly 32 hex digits in lower case, so that one id has one text; otherwise nothing.
  static std::optional<TokenId> Parse(absl::string_view text);
  std::string ToString() const;

  friend bool operator==(const TokenId&, const TokenId&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const TokenId& id) {
    return H::combine(std::move(hash), id.bytes_);
  }

 private:
  std::array<uint8_t, kBytes> bytes_;
};

}  // namespace sluice

#endif  // GATEWAY_TOKENS_TOKEN_ID_H_

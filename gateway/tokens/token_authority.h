#ifndef GATEWAY_TOKENS_TOKEN_AUTHORITY_H_
#define GATEWAY_TOKENS_TOKEN_AUTHORITY_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gateway/tokens/participant_claims.h"
#include "gateway/tokens/revoked_tokens.h"
#include "gateway/tokens/token_id.h"
#include "gateway/tokens/token_keys.h"
#include "gateway/tokens/token_verdict.h"

namespace sluice {

// Longer tokens are refused unread. Ours have at most 1100 characters: base64 of a claims set with
// two ids of 128 characters, each there twice, and of a signature.
inline constexpr size_t kMaxTokenSize = 1536;

// Makes and judges participants' tokens: JWTs in compact form (RFC 7519, RFC 7515 section 3.1) with
// HMAC-SHA256, and with no other algorithm whatever a header says. Any thread.
class TokenAuthority {
 public:
  // At most `max_revoked` tokens are revoked and not expired at the same time.
  TokenAuthority(TokenKeys keys, size_t max_revoked);

  // A token that says this, under the current key. Secret.
  std::string Mint(const ParticipantClaims& claims) const;

  // Whether to believe `token` at `now`; `claims` is what it says if that is kOk, else unchanged.
  // Counts its answer. The time it takes does not tell how much of a signature is right.
  [[nodiscard]] TokenVerdict Verify(absl::string_view token, absl::Time now,
                                    ParticipantClaims& claims);

  // Whether claims that were believed before still hold, for calls that go on. Counts nothing.
  [[nodiscard]] TokenVerdict Recheck(const ParticipantClaims& claims, absl::Time now) const;

  // From now on no token with this id is believed, whether there is one or not. ResourceExhausted
  // as RevokedTokens::Revoke.
  absl::Status Revoke(const TokenId& id, absl::Time now);

  const RevokedTokens& revoked() const { return revoked_; }
  // How often Verify said so.
  uint64_t count(TokenVerdict verdict) const {
    return counts_[static_cast<size_t>(verdict)].load(std::memory_order_relaxed);
  }

 private:
  TokenVerdict Judge(absl::string_view token, absl::Time now, ParticipantClaims& claims) const;

  const TokenKeys keys_;
  RevokedTokens revoked_;
  std::array<std::atomic<uint64_t>, kTokenVerdicts> counts_ = {};
};

}  // namespace sluice

#endif  // GATEWAY_TOKENS_TOKEN_AUTHORITY_H_

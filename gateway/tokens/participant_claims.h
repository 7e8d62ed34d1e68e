#ifndef GATEWAY_TOKENS_PARTICIPANT_CLAIMS_H_
#define GATEWAY_TOKENS_PARTICIPANT_CLAIMS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gateway/tokens/participant_rights.h"
#include "gateway/tokens/token_id.h"

namespace sluice {

// How long a token may be valid (proto/gateway/v1/gateway_service.proto): long enough for a hand to
// copy it, and no longer than a revocation is remembered.
inline constexpr absl::Duration kMinTokenLifetime = absl::Seconds(10);
inline constexpr absl::Duration kMaxTokenLifetime = absl::Hours(24);
inline constexpr absl::Duration kDefaultTokenLifetime = absl::Hours(1);

// As the control API has it for ids of sessions and legs, so that a token has a bound.
inline constexpr size_t kMaxClaimIdSize = 128;

// What a token says of its bearer: who may do what with which leg, and until when. Value.
struct ParticipantClaims {
  TokenId id;
  // 1..128 characters of [A-Za-z0-9._~-] each, which needs no escaping in JSON.
  std::string session_id;
  std::string leg_id;
  ParticipantRights rights;
  // Whole seconds, 1970..2106. Valid from `issued` on, and no longer at `expires` (RFC 7519 section
  // 4.1.4).
  absl::Time issued;
  absl::Time expires;

  friend bool operator==(const ParticipantClaims&, const ParticipantClaims&) = default;
};

// The claims set of a JWT. Fractions of seconds are cut: of `issued` downwards, of `expires` too.
std::string ToJson(const ParticipantClaims& claims);

// Nothing unless it is a claims set of ours: issuer, subject, an id of the right form, possible ids
// of session and leg, times in order and at most kMaxTokenLifetime apart. Claims and rights that
// are not known are ignored. For text that is authentic: the time it takes is not bounded by its
// content.
std::optional<ParticipantClaims> ParseClaims(absl::string_view json);

}  // namespace sluice

#endif  // GATEWAY_TOKENS_PARTICIPANT_CLAIMS_H_

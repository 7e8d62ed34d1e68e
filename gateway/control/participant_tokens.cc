#include "gateway/control/participant_tokens.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/time_delta.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/id_check.h"
#include "gateway/control/session_directory.h"
#include "gateway/control/time_convert.h"
#include "gateway/errors/error_detail.h"
#include "gateway/tokens/participant_claims.h"
#include "gateway/tokens/participant_rights.h"
#include "gateway/tokens/token_id.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

std::optional<ParticipantRight> FromProto(int right) {
  switch (right) {
    case pb::PARTICIPANT_RIGHT_JOIN:
      return ParticipantRight::kJoin;
    case pb::PARTICIPANT_RIGHT_UPDATE:
      return ParticipantRight::kUpdate;
    case pb::PARTICIPANT_RIGHT_LEAVE:
      return ParticipantRight::kLeave;
    case pb::PARTICIPANT_RIGHT_EVENTS:
      return ParticipantRight::kEvents;
    default:
      return std::nullopt;
  }
}

ParticipantRights ReadRights(const pb::CreateParticipantTokenRequest& request,
                             FieldViolations& violations) {
  if (request.rights().empty()) {
    return ParticipantRights::All();
  }
  ParticipantRights rights;
  for (int i = 0; i < request.rights_size(); ++i) {
    if (const std::optional<ParticipantRight> right = FromProto(request.rights(i))) {
      rights.Add(*right);
    } else {
      // One is enough: the list may be as long as a message.
      violations.Add(absl::StrCat("rights[", i, "]"), "is no right that this gateway knows");
      break;
    }
  }
  return rights;
}

TimeDelta ToTimeDelta(absl::Duration duration) {
  return TimeDelta::Micros(absl::ToInt64Microseconds(duration));
}

}  // namespace

absl::Status CreateParticipantToken(const pb::CreateParticipantTokenRequest& request,
                                    ControlRoom& room, const TokenAuthority& tokens,
                                    RandomSource& random,
                                    pb::CreateParticipantTokenResponse& response) {
  FieldViolations violations;
  CheckId("session_id", request.session_id(), violations);
  CheckId("leg_id", request.leg_id(), violations);
  ParticipantClaims claims;
  claims.rights = ReadRights(request, violations);
  TimeDelta lifetime = ToTimeDelta(kDefaultTokenLifetime);
  if (request.has_lifetime()) {
    lifetime = FromProto(request.lifetime(), "lifetime", ToTimeDelta(kMinTokenLifetime),
                         ToTimeDelta(kMaxTokenLifetime), violations)
                   .value_or(lifetime);
  }
  if (!violations.empty()) {
    return violations.ToStatus();
  }
  const std::optional<SessionPlace> place = room.directory().Find(request.session_id());
  if (!place.has_value() || !place->live()) {
    return ResourceNotFound("session", request.session_id());
  }
  claims.id = TokenId::Random(random);
  claims.session_id = request.session_id();
  claims.leg_id = request.leg_id();
  claims.issued = absl::FromUnixSeconds(absl::ToUnixSeconds(room.now()));
  claims.expires = claims.issued + absl::Seconds(lifetime.seconds());
  response.set_token(tokens.Mint(claims));
  response.set_token_id(claims.id.ToString());
  *response.mutable_expire_time() = ToProto(claims.expires);
  return absl::OkStatus();
}

absl::Status RevokeParticipantToken(const pb::RevokeParticipantTokenRequest& request,
                                    absl::Time now, TokenAuthority& tokens) {
  const std::optional<TokenId> id = TokenId::Parse(request.token_id());
  if (!id.has_value()) {
    return InvalidField("token_id", absl::StrCat("must be ", TokenId::kTextSize,
                                                 " hex digits in lower case, as token_id of "
                                                 "CreateParticipantToken"));
  }
  return tokens.Revoke(*id, now);
}

}  // namespace sluice

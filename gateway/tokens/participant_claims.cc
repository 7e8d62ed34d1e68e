#include "gateway/tokens/participant_claims.h"

#include <google/protobuf/util/json_util.h>

#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "proto/signalling/v1/participant_claims.pb.h"

namespace sluice {
namespace {

namespace util = ::google::protobuf::util;

constexpr char kIssuer[] = "sluice";

uint32_t ToNumericDate(absl::Time time) {
  const int64_t seconds = absl::ToUnixSeconds(time);
  SLUICE_CHECK(seconds >= 0 && seconds <= int64_t{UINT32_MAX});
  return static_cast<uint32_t>(seconds);
}

bool IsPossibleId(absl::string_view id) {
  return !id.empty() && id.size() <= kMaxClaimIdSize && absl::c_all_of(id, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("._~-", c);
  });
}

}  // namespace

std::string ToJson(const ParticipantClaims& claims) {
  signalling::v1::ParticipantClaims message;
  message.set_iss(kIssuer);
  message.set_sub(absl::StrCat(claims.session_id, "/", claims.leg_id));
  message.set_jti(claims.id.ToString());
  message.set_iat(ToNumericDate(claims.issued));
  message.set_exp(ToNumericDate(claims.expires));
  message.set_sid(claims.session_id);
  message.set_leg(claims.leg_id);
  for (const ParticipantRightRow& row : kParticipantRights) {
    if (claims.rights.Has(row.right)) {
      message.add_rights(std::string(row.name));
    }
  }
  std::string json;
  SLUICE_CHECK(util::MessageToJsonString(message, &json).ok());
  return json;
}

std::optional<ParticipantClaims> ParseClaims(absl::string_view json) {
  util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  signalling::v1::ParticipantClaims message;
  if (!util::JsonStringToMessage(std::string(json), &message, options).ok()) {
    return std::nullopt;
  }
  const std::optional<TokenId> id = TokenId::Parse(message.jti());
  ParticipantClaims claims;
  claims.session_id = message.sid();
  claims.leg_id = message.leg();
  claims.issued = absl::FromUnixSeconds(message.iat());
  claims.expires = absl::FromUnixSeconds(message.exp());
  const absl::Duration lifetime = claims.expires - claims.issued;
  if (message.iss() != kIssuer || !id.has_value() || !IsPossibleId(claims.session_id) ||
      !IsPossibleId(claims.leg_id) ||
      message.sub() != absl::StrCat(claims.session_id, "/", claims.leg_id) ||
      lifetime <= absl::ZeroDuration() || lifetime > kMaxTokenLifetime) {
    return std::nullopt;
  }
  claims.id = *id;
  for (const std::string& name : message.rights()) {
    if (const std::optional<ParticipantRight> right = ParseParticipantRight(name)) {
      claims.rights.Add(*right);
    }
  }
  return claims;
}

}  // namespace sluice

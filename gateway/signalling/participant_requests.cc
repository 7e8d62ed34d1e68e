#include "gateway/signalling/participant_requests.h"

#include "absl/strings/str_cat.h"
#include "gateway/control/srtp_convert.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

bool IsNull(pb::CryptoSuite suite) {
  return suite == pb::CRYPTO_SUITE_NULL_HMAC_SHA1_80 || suite == pb::CRYPTO_SUITE_NULL_HMAC_SHA1_32;
}

bool IsChosen(pb::CryptoSuite suite) {
  FieldViolations ignored;
  return suite != pb::CRYPTO_SUITE_UNSPECIFIED && !IsNull(suite) &&
         ToSuite(suite, "", ignored).has_value();
}

// What no participant may ask for, in whichever call. Whether the media of others goes out
// readable, and whether packets are written to the gateway's disk, is not for one of them to say.
void CheckConfig(const pb::LegConfig& config, FieldViolations& violations) {
  constexpr absl::string_view kNullSuite = "must not be a NULL suite, which encrypts nothing";
  if (config.kind() != pb::LEG_KIND_UNSPECIFIED && config.kind() != pb::LEG_KIND_SRTP) {
    violations.Add("config.kind", "must be LEG_KIND_SRTP, which is the default");
  }
  if (IsNull(config.local_suite())) {
    violations.Add("config.local_suite", kNullSuite);
  }
  if (IsNull(config.remote_key().suite())) {
    violations.Add("config.remote_key.suite", kNullSuite);
  }
  if (config.interceptors().packet_log()) {
    violations.Add("config.interceptors.packet_log", "is for controllers");
  }
}

void ChooseKey(const signalling::v1::JoinRequest& request, pb::LegConfig& config,
               FieldViolations& violations) {
  if (request.offered_keys_size() > kMaxOfferedKeys) {
    violations.Add("offered_keys", absl::StrCat("has ", request.offered_keys_size(),
                                                " keys, may have ", kMaxOfferedKeys));
    return;
  }
  for (const pb::SrtpKey& key : request.offered_keys()) {
    if (IsChosen(key.suite())) {
      *config.mutable_remote_key() = key;
      return;
    }
  }
  if (!request.offered_keys().empty()) {
    violations.Add("offered_keys", "has no key of a suite that the gateway takes");
  }
}

}  // namespace

pb::AddLegRequest ToAddLeg(const ParticipantClaims& claims,
                           const signalling::v1::JoinRequest& request,
                           FieldViolations& violations) {
  CheckConfig(request.config(), violations);
  if (request.config().has_remote_key()) {
    violations.Add("config.remote_key", "must be absent: keys are offered in offered_keys");
  }
  pb::AddLegRequest add;
  add.set_session_id(claims.session_id);
  add.set_leg_id(claims.leg_id);
  *add.mutable_config() = request.config();
  add.mutable_config()->set_kind(pb::LEG_KIND_SRTP);
  ChooseKey(request, *add.mutable_config(), violations);
  return add;
}

pb::UpdateLegRequest ToUpdateLeg(const ParticipantClaims& claims,
                                 const signalling::v1::UpdateLegRequest& request,
                                 FieldViolations& violations) {
  CheckConfig(request.config(), violations);
  pb::UpdateLegRequest update;
  update.set_session_id(claims.session_id);
  update.set_leg_id(claims.leg_id);
  *update.mutable_config() = request.config();
  *update.mutable_update_mask() = request.update_mask();
  update.set_local_key_change(request.local_key_change());
  update.set_local_mki(request.local_mki());
  *update.mutable_retire_remote_mkis() = request.retire_remote_mkis();
  return update;
}

pb::RemoveLegRequest ToRemoveLeg(const ParticipantClaims& claims) {
  pb::RemoveLegRequest remove;
  remove.set_session_id(claims.session_id);
  remove.set_leg_id(claims.leg_id);
  return remove;
}

}  // namespace sluice

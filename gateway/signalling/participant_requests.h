#ifndef GATEWAY_SIGNALLING_PARTICIPANT_REQUESTS_H_
#define GATEWAY_SIGNALLING_PARTICIPANT_REQUESTS_H_

#include "gateway/control/field_violations.h"
#include "gateway/tokens/participant_claims.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/signalling/v1/signalling_service.pb.h"

namespace sluice {

// More keys than there are suites are offered by nobody.
inline constexpr int kMaxOfferedKeys = 16;

// A participant's requests as the control API has them, with the ids of its token. What a
// controller may ask for and a participant may not is added to `violations`, and then the answer is
// not to be used; all else is the control API's to check.

gateway::v1::AddLegRequest ToAddLeg(const ParticipantClaims& claims,
                                    const signalling::v1::JoinRequest& request,
                                    FieldViolations& violations);
gateway::v1::UpdateLegRequest ToUpdateLeg(const ParticipantClaims& claims,
                                          const signalling::v1::UpdateLegRequest& request,
                                          FieldViolations& violations);
gateway::v1::RemoveLegRequest ToRemoveLeg(const ParticipantClaims& claims);

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_PARTICIPANT_REQUESTS_H_

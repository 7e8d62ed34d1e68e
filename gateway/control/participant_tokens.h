#ifndef GATEWAY_CONTROL_PARTICIPANT_TOKENS_H_
#define GATEWAY_CONTROL_PARTICIPANT_TOKENS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/random_source.h"
#include "gateway/control/control_room.h"
#include "gateway/tokens/token_authority.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {

// A token for one leg of a live session, there or not. `random` makes its id. Any thread.
//   InvalidArgument    of the request
//   NotFound           the session is not live
absl::Status CreateParticipantToken(const gateway::v1::CreateParticipantTokenRequest& request,
                                    ControlRoom& room, const TokenAuthority& tokens,
                                    RandomSource& random,
                                    gateway::v1::CreateParticipantTokenResponse& response);

// The end of a token, known or not. Any thread.
//   InvalidArgument    of the request
//   ResourceExhausted  limit "revoked_tokens"; the token is as valid as before
absl::Status RevokeParticipantToken(const gateway::v1::RevokeParticipantTokenRequest& request,
                                    absl::Time now, TokenAuthority& tokens);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_PARTICIPANT_TOKENS_H_

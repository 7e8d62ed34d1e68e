#ifndef GATEWAY_SIGNALLING_PARTICIPANT_CALLS_H_
#define GATEWAY_SIGNALLING_PARTICIPANT_CALLS_H_

#include <grpcpp/support/status.h>

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gateway/control/control_room.h"
#include "gateway/control/gateway_service.h"
#include "gateway/signalling/participant_refusals.h"
#include "gateway/signalling/token_places.h"
#include "gateway/tokens/participant_claims.h"
#include "gateway/tokens/participant_rights.h"
#include "gateway/tokens/token_authority.h"
#include "proto/gateway/v1/events.pb.h"
#include "proto/signalling/v1/signalling_service.pb.h"

namespace sluice {

// A stream of events that holds no thread: whoever serves it reads the log (EventWatches).
struct ParticipantWatch {
  // Whether its participant may see the event.
  bool Wants(const gateway::v1::Event& event) const {
    return event.session_id() == claims.session_id &&
           (event.leg_id() == claims.leg_id || event.has_session_ended());
  }

  ParticipantClaims claims;
  // Among the streams of its token.
  TokenPlaces::Place place;
  // Goes first.
  signalling::v1::WatchEventsResponse first;
  // The newest event that the participant knows, or is not to know.
  uint64_t sequence = 0;
};

// What participants may call (proto/signalling/v1/signalling_service.proto), whatever brought the
// call: each is the control API's call with the ids of the token, so that a participant reaches no
// leg but its own. A transport authenticates, decodes, calls, encodes; it takes grpc::Status, whose
// details are those of google.rpc, for the error that it has to tell. Any thread.
class ParticipantCalls {
 public:
  // All outlive the calls. `service` is called without gRPC in between.
  ParticipantCalls(GatewayService& service, ControlRoom& room, TokenAuthority& tokens);

  // What the token of a call says, if it is to be believed now; Unauthenticated with one word
  // otherwise. nullopt: the call brought none.
  absl::StatusOr<ParticipantClaims> Authenticate(std::optional<absl::string_view> token);

  // A place among the calls of the token, to be kept until this one is answered. Streams have their
  // own. ResourceExhausted, limit "calls_per_token".
  absl::StatusOr<TokenPlaces::Place> BeginCall(const ParticipantClaims& claims);

  // `claims` are those of the call's own token, from Authenticate.
  grpc::Status Join(const ParticipantClaims& claims, const signalling::v1::JoinRequest& request,
                    signalling::v1::JoinResponse& response);
  grpc::Status UpdateLeg(const ParticipantClaims& claims,
                         const signalling::v1::UpdateLegRequest& request,
                         signalling::v1::UpdateLegResponse& response);
  grpc::Status Leave(const ParticipantClaims& claims, const signalling::v1::LeaveRequest& request,
                     signalling::v1::LeaveResponse& response);
  grpc::Status Ping(const ParticipantClaims& claims, const signalling::v1::PingRequest& request,
                    signalling::v1::PingResponse& response);
  // Holds the thread and a place of `watchers`. OK when the session has ended and `write` has its
  // last event, when `write` said false or `cancelled` true; otherwise as the proto says.
  grpc::Status WatchEvents(
      const ParticipantClaims& claims, const signalling::v1::WatchEventsRequest& request,
      absl::FunctionRef<bool()> cancelled,
      absl::FunctionRef<bool(const signalling::v1::WatchEventsResponse&)> write);

  // The same without a thread and without a place of `watchers`: `watch` is set when the stream has
  // begun, and then it is up to the caller to read the log, to ask Recheck before each event and
  // from time to time, and to tell OK behind the end of the session. Does not block.
  grpc::Status BeginWatch(const ParticipantClaims& claims,
                          const signalling::v1::WatchEventsRequest& request,
                          std::optional<ParticipantWatch>& watch);
  // OK as long as the token is to be believed; otherwise what the stream ends with, once.
  grpc::Status Recheck(const ParticipantClaims& claims);
  // What a stream ends with that the log ended.
  grpc::Status FailWatch(const absl::Status& status) { return Answer(status); }

  const ParticipantRefusals& refusals() const { return refusals_; }

 private:
  grpc::Status CheckRight(const ParticipantClaims& claims, ParticipantRight right);
  // Counts what is not OK.
  grpc::Status Answer(const absl::Status& status);
  grpc::Status Answer(grpc::Status status);
  bool IsLive(absl::string_view session_id);
  absl::Status Follow(const ParticipantClaims& claims,
                      const signalling::v1::WatchEventsRequest& request,
                      absl::FunctionRef<bool()> cancelled,
                      absl::FunctionRef<bool(const signalling::v1::WatchEventsResponse&)> write);

  GatewayService& service_;
  ControlRoom& room_;
  TokenAuthority& tokens_;
  TokenPlaces call_places_{kCallsPerToken};
  TokenPlaces stream_places_{kStreamsPerToken};
  ParticipantRefusals refusals_;
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_PARTICIPANT_CALLS_H_

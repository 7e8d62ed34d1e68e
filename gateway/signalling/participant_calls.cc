#include "gateway/signalling/participant_calls.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/session_directory.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/time_convert.h"
#include "gateway/errors/error_detail.h"
#include "gateway/signalling/participant_requests.h"
#include "gateway/tokens/token_verdict.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// Enough for a number and a time; it is not for carrying anything.
constexpr size_t kMaxPingBytes = 64;

bool IsFor(const ParticipantClaims& claims, const pb::Event& event) {
  return event.leg_id() == claims.leg_id || event.has_session_ended();
}

// Those of the whole session: the log knows no legs.
pb::WatchEventsRequest ToWatchEvents(const ParticipantClaims& claims,
                                     const signalling::v1::WatchEventsRequest& request) {
  pb::WatchEventsRequest all;
  all.set_after_sequence(request.after_sequence());
  all.set_instance_id(request.instance_id());
  all.set_session_id(claims.session_id);
  return all;
}

}  // namespace

ParticipantCalls::ParticipantCalls(GatewayService& service, ControlRoom& room,
                                   TokenAuthority& tokens)
    : service_(service), room_(room), tokens_(tokens) {}

absl::StatusOr<ParticipantClaims> ParticipantCalls::Authenticate(
    std::optional<absl::string_view> token) {
  if (!token.has_value()) {
    refusals_.Count(ParticipantRefusal::kNoToken, room_.now());
    return absl::UnauthenticatedError("token: missing");
  }
  ParticipantClaims claims;
  const TokenVerdict verdict = tokens_.Verify(*token, room_.now(), claims);
  if (verdict != TokenVerdict::kOk) {
    refusals_.Count(ToRefusal(verdict), room_.now());
    return ToStatus(verdict);
  }
  return claims;
}

absl::StatusOr<TokenPlaces::Place> ParticipantCalls::BeginCall(const ParticipantClaims& claims) {
  absl::StatusOr<TokenPlaces::Place> place = call_places_.Take(claims.id);
  if (!place.ok()) {
    refusals_.Count(ParticipantRefusal::kTooManyCalls, room_.now());
  }
  return place;
}

grpc::Status ParticipantCalls::CheckRight(const ParticipantClaims& claims, ParticipantRight right) {
  if (claims.rights.Has(right)) {
    return grpc::Status::OK;
  }
  refusals_.Count(ParticipantRefusal::kNoRight, room_.now());
  return ToGrpcStatus(absl::PermissionDeniedError(
      absl::StrCat("the token does not have the right \"", ParticipantRightName(right), "\"")));
}

grpc::Status ParticipantCalls::Answer(grpc::Status status) {
  if (!status.ok()) {
    refusals_.Count(ParticipantRefusal::kRequest, room_.now());
  }
  return status;
}

grpc::Status ParticipantCalls::Answer(const absl::Status& status) {
  return Answer(ToGrpcStatus(status));
}

grpc::Status ParticipantCalls::Join(const ParticipantClaims& claims,
                                    const signalling::v1::JoinRequest& request,
                                    signalling::v1::JoinResponse& response) {
  grpc::Status status = CheckRight(claims, ParticipantRight::kJoin);
  if (!status.ok()) {
    return status;
  }
  FieldViolations violations;
  const pb::AddLegRequest add = ToAddLeg(claims, request, violations);
  if (!violations.empty()) {
    return Answer(violations.ToStatus());
  }
  pb::AddLegResponse added;
  status = service_.AddLeg(nullptr, &add, &added);
  response.mutable_leg()->Swap(added.mutable_leg());
  response.mutable_local_key()->Swap(added.mutable_local_key());
  return Answer(std::move(status));
}

grpc::Status ParticipantCalls::UpdateLeg(const ParticipantClaims& claims,
                                         const signalling::v1::UpdateLegRequest& request,
                                         signalling::v1::UpdateLegResponse& response) {
  grpc::Status status = CheckRight(claims, ParticipantRight::kUpdate);
  if (!status.ok()) {
    return status;
  }
  FieldViolations violations;
  const pb::UpdateLegRequest update = ToUpdateLeg(claims, request, violations);
  if (!violations.empty()) {
    return Answer(violations.ToStatus());
  }
  pb::UpdateLegResponse updated;
  status = service_.UpdateLeg(nullptr, &update, &updated);
  response.mutable_leg()->Swap(updated.mutable_leg());
  if (updated.has_local_key()) {
    response.mutable_local_key()->Swap(updated.mutable_local_key());
  }
  return Answer(std::move(status));
}

grpc::Status ParticipantCalls::Leave(const ParticipantClaims& claims,
                                     const signalling::v1::LeaveRequest&,
                                     signalling::v1::LeaveResponse& response) {
  grpc::Status status = CheckRight(claims, ParticipantRight::kLeave);
  if (!status.ok()) {
    return status;
  }
  const pb::RemoveLegRequest remove = ToRemoveLeg(claims);
  pb::RemoveLegResponse removed;
  status = service_.RemoveLeg(nullptr, &remove, &removed);
  response.mutable_final_stats()->Swap(removed.mutable_final_stats());
  return Answer(std::move(status));
}

grpc::Status ParticipantCalls::Ping(const ParticipantClaims&,
                                    const signalling::v1::PingRequest& request,
                                    signalling::v1::PingResponse& response) {
  if (request.payload().size() > kMaxPingBytes) {
    return Answer(InvalidField("payload", absl::StrCat("has ", request.payload().size(),
                                                       " bytes, may have ", kMaxPingBytes)));
  }
  response.set_payload(request.payload());
  *response.mutable_server_time() = ToProto(room_.now());
  return grpc::Status::OK;
}

grpc::Status ParticipantCalls::WatchEvents(
    const ParticipantClaims& claims, const signalling::v1::WatchEventsRequest& request,
    absl::FunctionRef<bool()> cancelled,
    absl::FunctionRef<bool(const signalling::v1::WatchEventsResponse&)> write) {
  grpc::Status status = CheckRight(claims, ParticipantRight::kEvents);
  if (!status.ok()) {
    return status;
  }
  const absl::StatusOr<TokenPlaces::Place> place = stream_places_.Take(claims.id);
  if (!place.ok()) {
    refusals_.Count(ParticipantRefusal::kTooManyStreams, room_.now());
    return ToGrpcStatus(place.status());
  }
  const absl::Status followed = Follow(claims, request, cancelled, write);
  const TokenVerdict verdict = tokens_.Recheck(claims, room_.now());
  if (absl::IsUnauthenticated(followed) && verdict != TokenVerdict::kOk) {
    refusals_.Count(ToRefusal(verdict), room_.now());
    return ToGrpcStatus(followed);
  }
  return Answer(followed);
}

grpc::Status ParticipantCalls::BeginWatch(const ParticipantClaims& claims,
                                          const signalling::v1::WatchEventsRequest& request,
                                          std::optional<ParticipantWatch>& watch) {
  grpc::Status status = CheckRight(claims, ParticipantRight::kEvents);
  if (!status.ok()) {
    return status;
  }
  absl::StatusOr<TokenPlaces::Place> place = stream_places_.Take(claims.id);
  if (!place.ok()) {
    refusals_.Count(ParticipantRefusal::kTooManyStreams, room_.now());
    return ToGrpcStatus(place.status());
  }
  const absl::StatusOr<EventStreams::Start> start =
      room_.streams().Begin(ToWatchEvents(claims, request));
  if (!start.ok()) {
    return Answer(start.status());
  }
  // Behind the beginning, as in Follow.
  if (request.after_sequence() == 0 && !IsLive(claims.session_id)) {
    return Answer(ResourceNotFound("session", claims.session_id));
  }
  watch.emplace(ParticipantWatch{claims, *std::move(place), {}, start->sequence});
  watch->first.set_instance_id(start->first.instance_id());
  watch->first.set_latest_sequence(start->first.latest_sequence());
  return grpc::Status::OK;
}

grpc::Status ParticipantCalls::Recheck(const ParticipantClaims& claims) {
  const TokenVerdict verdict = tokens_.Recheck(claims, room_.now());
  if (verdict == TokenVerdict::kOk) {
    return grpc::Status::OK;
  }
  refusals_.Count(ToRefusal(verdict), room_.now());
  return ToGrpcStatus(ToStatus(verdict));
}

bool ParticipantCalls::IsLive(absl::string_view session_id) {
  const std::optional<SessionPlace> place = room_.directory().Find(session_id);
  return place.has_value() && place->live();
}

absl::Status ParticipantCalls::Follow(
    const ParticipantClaims& claims, const signalling::v1::WatchEventsRequest& request,
    absl::FunctionRef<bool()> cancelled,
    absl::FunctionRef<bool(const signalling::v1::WatchEventsResponse&)> write) {
  const pb::WatchEventsRequest all = ToWatchEvents(claims, request);
  bool gone = false;
  TokenVerdict verdict = TokenVerdict::kOk;
  // Looked at again for each event: between them the reader may take its time.
  const auto still_valid = [&] {
    verdict = tokens_.Recheck(claims, room_.now());
    return verdict == TokenVerdict::kOk;
  };
  const absl::Status status = room_.streams().Serve(
      all, [&] { return !still_valid() || cancelled(); },
      [&](const pb::WatchEventsResponse& response) {
        if (response.has_event() && !IsFor(claims, response.event())) {
          return true;
        }
        // Looked at behind the first message, which says where the stream begins: the end of a
        // session that is live now comes after it. Of another one nothing would ever come.
        gone = !response.has_event() && request.after_sequence() == 0 && !IsLive(claims.session_id);
        if (gone || !still_valid()) {
          return false;
        }
        signalling::v1::WatchEventsResponse out;
        out.set_instance_id(response.instance_id());
        out.set_latest_sequence(response.latest_sequence());
        if (response.has_event()) {
          *out.mutable_event() = response.event();
        }
        return write(out) && !response.event().has_session_ended();
      });
  if (gone) {
    return ResourceNotFound("session", claims.session_id);
  }
  return verdict == TokenVerdict::kOk ? status : ToStatus(verdict);
}

}  // namespace sluice

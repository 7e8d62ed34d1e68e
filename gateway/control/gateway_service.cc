#include "gateway/control/gateway_service.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/id_check.h"
#include "gateway/control/leg_convert.h"
#include "gateway/control/participant_tokens.h"
#include "gateway/control/session_convert.h"
#include "gateway/control/session_listing.h"
#include "gateway/control/srtp_convert.h"
#include "gateway/control/stats_convert.h"
#include "gateway/control/stats_watch.h"
#include "gateway/control/status_convert.h"
#include "gateway/errors/error_detail.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

absl::Status CheckSessionId(absl::string_view id) {
  FieldViolations violations;
  CheckId("session_id", id, violations);
  return violations.ToStatus();
}

absl::Status CheckIds(absl::string_view session_id, absl::string_view leg_id) {
  FieldViolations violations;
  CheckId("session_id", session_id, violations);
  CheckId("leg_id", leg_id, violations);
  return violations.ToStatus();
}

}  // namespace

GatewayService::GatewayService(ControlRoom& room, TokenAuthority& tokens, RandomSource& random,
                               NodeSources sources)
    : room_(room), tokens_(tokens), random_(random), sources_(std::move(sources)) {}

grpc::Status GatewayService::CreateSession(grpc::ServerContext*,
                                           const pb::CreateSessionRequest* request,
                                           pb::CreateSessionResponse* response) {
  FieldViolations violations;
  const SessionSpec spec = ToSessionSpec(*request, sources_.session_defaults, violations);
  if (!violations.empty()) {
    return ToGrpcStatus(violations.ToStatus());
  }
  const auto existing = [&spec](const SessionSnapshot& live) {
    return HasConfigOf(live, spec)
               ? absl::OkStatus()
               : ResourceExists("session", spec.id, "is live with another configuration");
  };
  return ToGrpcStatus(room_.OnLaneForNew(spec.id, [&](WorkerLane& lane) {
    const absl::StatusOr<SessionSnapshot> session = lane.CreateSession(spec, existing);
    if (session.ok()) {
      FillSession(*session, *response->mutable_session());
    }
    return session.status();
  }));
}

grpc::Status GatewayService::GetSession(grpc::ServerContext*, const pb::GetSessionRequest* request,
                                        pb::GetSessionResponse* response) {
  absl::Status status = CheckSessionId(request->session_id());
  if (!status.ok()) {
    return ToGrpcStatus(status);
  }
  const absl::StatusOr<FoundSession> found = room_.Find(request->session_id());
  if (found.ok()) {
    ToProto(found->snapshot, found->place, *response->mutable_session());
  }
  return ToGrpcStatus(found.status());
}

grpc::Status GatewayService::ListSessions(grpc::ServerContext*,
                                          const pb::ListSessionsRequest* request,
                                          pb::ListSessionsResponse* response) {
  return ToGrpcStatus(sluice::ListSessions(*request, room_, *response));
}

grpc::Status GatewayService::UpdateSession(grpc::ServerContext*,
                                           const pb::UpdateSessionRequest* request,
                                           pb::UpdateSessionResponse* response) {
  FieldViolations violations;
  const SessionUpdate update = ToSessionUpdate(*request, sources_.session_defaults, violations);
  if (!violations.empty()) {
    return ToGrpcStatus(violations.ToStatus());
  }
  return ToGrpcStatus(room_.OnLane(request->session_id(), [&](WorkerLane& lane) {
    const absl::StatusOr<SessionSnapshot> session =
        lane.UpdateSession(request->session_id(), update);
    if (session.ok()) {
      FillSession(*session, *response->mutable_session());
    }
    return session.status();
  }));
}

grpc::Status GatewayService::DeleteSession(grpc::ServerContext*,
                                           const pb::DeleteSessionRequest* request,
                                           pb::DeleteSessionResponse* response) {
  absl::Status status = CheckSessionId(request->session_id());
  if (!status.ok()) {
    return ToGrpcStatus(status);
  }
  return ToGrpcStatus(room_.OnLane(request->session_id(), [&](WorkerLane& lane) {
    const absl::StatusOr<SessionPlace> place = lane.DeleteSession(request->session_id());
    if (place.ok()) {
      ToProto(*place->report, *place, *response->mutable_session());
      ToProto(*place->report, place->ended, *response->mutable_final_stats());
    }
    return place.status();
  }));
}

grpc::Status GatewayService::AddLeg(grpc::ServerContext*, const pb::AddLegRequest* request,
                                    pb::AddLegResponse* response) {
  FieldViolations violations;
  NewLeg leg = ToNewLeg(*request, violations);
  if (!violations.empty()) {
    return ToGrpcStatus(violations.ToStatus());
  }
  std::optional<MasterKey> local_key;
  if (leg.local_suite.has_value()) {
    local_key = MasterKey::Generate(*leg.local_suite, random_);
    leg.spec.local_key = local_key->Clone();
  }
  const Mki local_mki = leg.spec.local_mki;
  return ToGrpcStatus(room_.OnLane(request->session_id(), [&](WorkerLane& lane) {
    const absl::StatusOr<LegSnapshot> added =
        lane.AddLeg(request->session_id(), std::move(leg.spec), leg.family);
    if (added.ok()) {
      ToProto(request->session_id(), *added, *response->mutable_leg());
      if (local_key.has_value()) {
        ToProto(*local_key, local_mki, *response->mutable_local_key());
      }
    }
    return added.status();
  }));
}

grpc::Status GatewayService::UpdateLeg(grpc::ServerContext*, const pb::UpdateLegRequest* request,
                                       pb::UpdateLegResponse* response) {
  absl::Status status = CheckIds(request->session_id(), request->leg_id());
  if (!status.ok()) {
    return ToGrpcStatus(status);
  }
  std::optional<MasterKey> prepared;
  Mki prepared_mki;
  const auto decide = [&](const LegSnapshot& leg) -> absl::StatusOr<LegUpdate> {
    FieldViolations violations;
    LegUpdate update = ToLegUpdate(*request, leg, violations);
    if (!violations.empty()) {
      return violations.ToStatus();
    }
    if (request->local_key_change() == pb::LOCAL_KEY_CHANGE_PREPARE) {
      prepared = MasterKey::Generate(leg.local_suite.value(), random_);
      update.prepare_local_key = prepared->Clone();
      prepared_mki = update.local_mki;
    }
    return update;
  };
  return ToGrpcStatus(room_.OnLane(request->session_id(), [&](WorkerLane& lane) {
    const absl::StatusOr<LegSnapshot> leg =
        lane.UpdateLeg(request->session_id(), request->leg_id(), decide);
    if (leg.ok()) {
      ToProto(request->session_id(), *leg, *response->mutable_leg());
      if (prepared.has_value()) {
        ToProto(*prepared, prepared_mki, *response->mutable_local_key());
      }
    }
    return leg.status();
  }));
}

grpc::Status GatewayService::RemoveLeg(grpc::ServerContext*, const pb::RemoveLegRequest* request,
                                       pb::RemoveLegResponse* response) {
  absl::Status status = CheckIds(request->session_id(), request->leg_id());
  if (!status.ok()) {
    return ToGrpcStatus(status);
  }
  return ToGrpcStatus(room_.OnLane(request->session_id(), [&](WorkerLane& lane) {
    const absl::StatusOr<LegSnapshot> leg =
        lane.RemoveLeg(request->session_id(), request->leg_id());
    if (leg.ok()) {
      ToProto(*leg, *response->mutable_final_stats());
    }
    return leg.status();
  }));
}

grpc::Status GatewayService::SetForwarding(grpc::ServerContext*,
                                           const pb::SetForwardingRequest* request,
                                           pb::SetForwardingResponse* response) {
  FieldViolations violations;
  const std::vector<ForwardingRule> rules = ToForwardingRules(*request, violations);
  if (!violations.empty()) {
    return ToGrpcStatus(violations.ToStatus());
  }
  return ToGrpcStatus(room_.OnLane(request->session_id(), [&](WorkerLane& lane) {
    const absl::StatusOr<SessionSnapshot> session =
        lane.SetForwarding(request->session_id(), rules);
    if (session.ok()) {
      FillSession(*session, *response->mutable_session());
    }
    return session.status();
  }));
}

grpc::Status GatewayService::GetStats(grpc::ServerContext*, const pb::GetStatsRequest* request,
                                      pb::GetStatsResponse* response) {
  absl::Status status = CheckSessionId(request->session_id());
  if (!status.ok()) {
    return ToGrpcStatus(status);
  }
  const absl::StatusOr<FoundSession> found = room_.Find(request->session_id());
  if (found.ok()) {
    const absl::Time sampled = found->place.live() ? room_.now() : found->place.ended;
    ToProto(found->snapshot, sampled, *response->mutable_stats());
  }
  return ToGrpcStatus(found.status());
}

grpc::Status GatewayService::WatchStats(grpc::ServerContext* context,
                                        const pb::WatchStatsRequest* request,
                                        grpc::ServerWriter<pb::WatchStatsResponse>* writer) {
  return ToGrpcStatus(sluice::WatchStats(
      *request, room_, [context] { return context->IsCancelled(); },
      [writer](const pb::WatchStatsResponse& response) { return writer->Write(response); }));
}

grpc::Status GatewayService::WatchEvents(grpc::ServerContext* context,
                                         const pb::WatchEventsRequest* request,
                                         grpc::ServerWriter<pb::WatchEventsResponse>* writer) {
  return ToGrpcStatus(room_.streams().Serve(
      *request, [context] { return context->IsCancelled(); },
      [writer](const pb::WatchEventsResponse& response) { return writer->Write(response); }));
}

grpc::Status GatewayService::GetNode(grpc::ServerContext*, const pb::GetNodeRequest*,
                                     pb::GetNodeResponse* response) {
  return ToGrpcStatus(ReportNode(sources_, room_, *response->mutable_node()));
}

grpc::Status GatewayService::CreateParticipantToken(
    grpc::ServerContext*, const pb::CreateParticipantTokenRequest* request,
    pb::CreateParticipantTokenResponse* response) {
  return ToGrpcStatus(sluice::CreateParticipantToken(*request, room_, tokens_, random_, *response));
}

grpc::Status GatewayService::RevokeParticipantToken(
    grpc::ServerContext*, const pb::RevokeParticipantTokenRequest* request,
    pb::RevokeParticipantTokenResponse*) {
  return ToGrpcStatus(sluice::RevokeParticipantToken(*request, room_.now(), tokens_));
}

void GatewayService::FillSession(const SessionSnapshot& snapshot, pb::Session& out) {
  // The call that gave the snapshot may have lost a race with the session's end since.
  SessionPlace place;
  place.created = room_.now();
  place = room_.directory().Find(snapshot.id).value_or(place);
  place.report = nullptr;
  ToProto(snapshot, place, out);
}

}  // namespace sluice

#include "gateway/control/worker_lane.h"

#include <string>
#include <utility>

#include "absl/log/log.h"
#include "absl/strings/str_cat.h"
#include "gateway/control/event_convert.h"
#include "gateway/errors/error_detail.h"
#include "gateway/worker/worker_notice.h"

namespace sluice {
namespace {

absl::string_view Name(const std::optional<EndReason>& reason) {
  switch (reason.value_or(EndReason::kDeleted)) {
    case EndReason::kDeleted:
      return "deleted";
    case EndReason::kIdleTimeout:
      return "idle_timeout";
    case EndReason::kOfferTimeout:
      return "offer_timeout";
    case EndReason::kAbsoluteTimeout:
      return "absolute_timeout";
    case EndReason::kHoldTimeout:
      return "hold_timeout";
  }
  return "unknown";
}

// The directory and the worker disagree for as long as the worker's word of an end is on its way.
absl::Status LookAgain() { return absl::AbortedError("the session is just ending"); }

const LegSnapshot* FindLeg(const SessionSnapshot& session, absl::string_view leg_id) {
  for (const LegSnapshot& leg : session.legs) {
    if (leg.id == leg_id) {
      return &leg;
    }
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<SessionSnapshot> WorkerLane::CreateSession(
    SessionSpec spec, absl::FunctionRef<absl::Status(const SessionSnapshot&)> existing) {
  absl::MutexLock lock(&turn_);
  const std::string id = spec.id;
  Publish();
  absl::Status status = directory_.Reserve(id, worker_.index(), spec.labels);
  if (absl::IsAlreadyExists(status)) {
    absl::StatusOr<SessionSnapshot> live = worker_.GetSession(id);
    if (absl::IsNotFound(live.status())) {
      // On another worker, or about to be a tombstone.
      return LookAgain();
    }
    if (live.ok()) {
      absl::Status answer = existing(*live);
      if (!answer.ok()) {
        return answer;
      }
    }
    return live;
  }
  if (!status.ok()) {
    return status;
  }
  absl::StatusOr<SessionSnapshot> created = worker_.CreateSession(std::move(spec));
  if (!created.ok()) {
    directory_.Release(id);
    return created;
  }
  log_.Append(SessionCreatedEvent(id));
  LOG(INFO) << "session created id=" << id << " worker=" << worker_.index();
  return created;
}

absl::StatusOr<SessionPlace> WorkerLane::DeleteSession(absl::string_view session_id) {
  absl::MutexLock lock(&turn_);
  Publish();
  std::optional<SessionPlace> place = directory_.Find(session_id);
  if (!place.has_value()) {
    return ResourceNotFound("session", session_id);
  }
  if (!place->live()) {
    return *place;
  }
  absl::StatusOr<SessionSnapshot> report = worker_.DeleteSession(session_id);
  if (absl::IsNotFound(report.status())) {
    return LookAgain();
  }
  if (!report.ok()) {
    return report.status();
  }
  // What its packets caused comes before its end.
  Publish();
  report->end_reason = EndReason::kDeleted;
  place = End(*std::move(report));
  return place.has_value() ? absl::StatusOr<SessionPlace>(*place) : LookAgain();
}

absl::StatusOr<SessionSnapshot> WorkerLane::UpdateSession(absl::string_view session_id,
                                                          SessionUpdate update) {
  absl::MutexLock lock(&turn_);
  absl::Status status = CheckLive(session_id);
  if (!status.ok()) {
    return status;
  }
  const std::optional<SessionLabels> labels = update.labels;
  absl::StatusOr<SessionSnapshot> updated = worker_.UpdateSession(session_id, std::move(update));
  if (!updated.ok()) {
    return Explain(session_id, updated.status());
  }
  if (labels.has_value()) {
    directory_.SetLabels(session_id, *labels);
  }
  return updated;
}

absl::StatusOr<SessionSnapshot> WorkerLane::SetForwarding(absl::string_view session_id,
                                                          std::vector<ForwardingRule> rules) {
  absl::MutexLock lock(&turn_);
  absl::Status status = CheckLive(session_id);
  if (!status.ok()) {
    return status;
  }
  absl::StatusOr<SessionSnapshot> session = worker_.SetForwarding(session_id, std::move(rules));
  if (!session.ok()) {
    return Explain(session_id, session.status());
  }
  return session;
}

absl::StatusOr<LegSnapshot> WorkerLane::AddLeg(absl::string_view session_id, LegSpec spec,
                                               IpFamily family) {
  absl::MutexLock lock(&turn_);
  absl::Status status = CheckLive(session_id);
  if (!status.ok()) {
    return status;
  }
  absl::StatusOr<LegSnapshot> leg = worker_.AddLeg(session_id, std::move(spec), family);
  if (!leg.ok()) {
    return Explain(session_id, leg.status());
  }
  log_.Append(LegAddedEvent(session_id, leg->id, leg->kind));
  return leg;
}

absl::StatusOr<LegSnapshot> WorkerLane::UpdateLeg(
    absl::string_view session_id, absl::string_view leg_id,
    absl::FunctionRef<absl::StatusOr<LegUpdate>(const LegSnapshot&)> decide) {
  absl::MutexLock lock(&turn_);
  absl::Status status = CheckLive(session_id);
  if (!status.ok()) {
    return status;
  }
  const absl::StatusOr<SessionSnapshot> session = worker_.GetSession(session_id);
  if (!session.ok()) {
    return Explain(session_id, session.status());
  }
  const LegSnapshot* leg = FindLeg(*session, leg_id);
  if (leg == nullptr) {
    return ResourceNotFound("leg", leg_id);
  }
  absl::StatusOr<LegUpdate> update = decide(*leg);
  if (!update.ok()) {
    return update.status();
  }
  absl::StatusOr<LegSnapshot> updated = worker_.UpdateLeg(session_id, leg_id, *std::move(update));
  if (!updated.ok()) {
    return Explain(session_id, updated.status());
  }
  log_.Append(LegUpdatedEvent(session_id, leg_id));
  return updated;
}

absl::StatusOr<LegSnapshot> WorkerLane::RemoveLeg(absl::string_view session_id,
                                                  absl::string_view leg_id) {
  absl::MutexLock lock(&turn_);
  absl::Status status = CheckLive(session_id);
  if (!status.ok()) {
    return status;
  }
  absl::StatusOr<LegSnapshot> leg = worker_.RemoveLeg(session_id, leg_id);
  if (!leg.ok()) {
    return Explain(session_id, leg.status());
  }
  log_.Append(LegRemovedEvent(session_id, leg_id));
  return leg;
}

void WorkerLane::PublishNotices() {
  absl::MutexLock lock(&turn_);
  Publish();
}

absl::Status WorkerLane::CheckLive(absl::string_view session_id) {
  Publish();
  const std::optional<SessionPlace> place = directory_.Find(session_id);
  if (!place.has_value()) {
    return ResourceNotFound("session", session_id);
  }
  if (!place->live()) {
    return PreconditionFailed("TOMBSTONE", session_id,
                              absl::StrCat("session \"", session_id, "\" has ended"));
  }
  return absl::OkStatus();
}

absl::Status WorkerLane::Explain(absl::string_view session_id, const absl::Status& error) {
  if (!absl::IsNotFound(error)) {
    return error;
  }
  absl::Status live = CheckLive(session_id);
  return live.ok() ? error : live;
}

void WorkerLane::Publish() {
  for (WorkerNotice& notice : worker_.TakeNotices()) {
    if (notice.ended != nullptr) {
      End(std::move(*notice.ended));
      continue;
    }
    // Word of a session whose end was told already comes too late to be told.
    const std::optional<SessionPlace> place = directory_.Find(notice.event->session_id.view());
    if (place.has_value() && place->live()) {
      log_.Append(ToEvent(*notice.event));
    }
  }
}

std::optional<SessionPlace> WorkerLane::End(SessionSnapshot report) {
  const std::string id = report.id;
  const std::optional<EndReason> reason = report.end_reason;
  const std::optional<SessionPlace> place = directory_.Bury(std::move(report));
  if (place.has_value()) {
    log_.Append(SessionEndedEvent(id, reason.value_or(EndReason::kDeleted)));
    LOG(INFO) << "session ended id=" << id << " worker=" << worker_.index()
              << " reason=" << Name(reason)
              << " seconds=" << absl::ToInt64Seconds(place->ended - place->created);
  }
  return place;
}

}  // namespace sluice

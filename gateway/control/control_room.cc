#include "gateway/control/control_room.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "gateway/errors/error_detail.h"

namespace sluice {
namespace {

// A session that is coming or going is settled within a turn of its worker, and each try waits for
// one. More tries than this mean that something is stuck.
constexpr int kMaxTries = 1000;

// Repeats `call` while it says Aborted: look again.
absl::Status UntilSettled(absl::FunctionRef<absl::Status()> call) {
  for (int i = 0; i < kMaxTries; ++i) {
    absl::Status status = call();
    if (!absl::IsAborted(status)) {
      return status;
    }
  }
  return absl::UnavailableError("the session is changing all the time, try again");
}

DirectoryLimits ToDirectoryLimits(const Limits& limits, size_t workers) {
  return {.workers = workers,
          .sessions = limits.sessions,
          .sessions_per_worker = SessionsPerWorker(limits, workers),
          .tombstones = limits.tombstones,
          .tombstone_bytes = TombstoneBytes(limits),
          .tombstone_lifetime = limits.tombstone_lifetime};
}

}  // namespace

ControlRoom::ControlRoom(const Limits& limits, std::string instance_id,
                         std::function<absl::Time()> now, WorkerPool& workers)
    : now_(std::move(now)),
      workers_(workers),
      directory_(ToDirectoryLimits(limits, workers.size()), now_),
      log_(limits.event_log, std::move(instance_id), now_),
      watchers_(limits.watchers),
      streams_(log_, watchers_) {
  for (size_t i = 0; i < workers.size(); ++i) {
    lanes_.push_back(std::make_unique<WorkerLane>(workers.worker(i), directory_, log_));
  }
}

absl::Status ControlRoom::OnLane(absl::string_view session_id,
                                 absl::FunctionRef<absl::Status(WorkerLane&)> call) {
  return UntilSettled([&]() -> absl::Status {
    const std::optional<SessionPlace> place = directory_.Find(session_id);
    if (!place.has_value()) {
      return ResourceNotFound("session", session_id);
    }
    return call(*lanes_[place->worker]);
  });
}

absl::Status ControlRoom::OnLaneForNew(absl::string_view session_id,
                                       absl::FunctionRef<absl::Status(WorkerLane&)> call) {
  return UntilSettled([&]() -> absl::Status {
    const std::optional<SessionPlace> place = directory_.Find(session_id);
    const size_t worker = place.has_value() ? place->worker : directory_.EmptiestWorker();
    return call(*lanes_[worker]);
  });
}

absl::StatusOr<FoundSession> ControlRoom::Find(absl::string_view session_id) {
  FoundSession found;
  const absl::Status status = UntilSettled([&]() -> absl::Status {
    const std::optional<SessionPlace> place = directory_.Find(session_id);
    if (!place.has_value()) {
      return ResourceNotFound("session", session_id);
    }
    found.place = *place;
    if (!place->live()) {
      found.snapshot = *place->report;
      return absl::OkStatus();
    }
    WorkerLane& lane = *lanes_[place->worker];
    absl::StatusOr<SessionSnapshot> snapshot = lane.worker().GetSession(session_id);
    if (absl::IsNotFound(snapshot.status())) {
      lane.PublishNotices();
      return absl::AbortedError("the session is coming or going");
    }
    if (snapshot.ok()) {
      found.snapshot = *std::move(snapshot);
    }
    return snapshot.status();
  });
  if (!status.ok()) {
    return status;
  }
  return found;
}

void ControlRoom::PublishNotices() {
  for (const auto& lane : lanes_) {
    lane->PublishNotices();
  }
}

}  // namespace sluice

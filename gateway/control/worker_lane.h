#ifndef GATEWAY_CONTROL_WORKER_LANE_H_
#define GATEWAY_CONTROL_WORKER_LANE_H_

#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "gateway/control/event_log.h"
#include "gateway/control/session_directory.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_spec.h"
#include "gateway/worker/worker.h"

namespace sluice {

// One worker as the control room sees it. What changes sessions, and what the worker tells of them,
// takes turns: so calls about one id come one after another, and events are in the order of their
// causes: created, leg added, media started, ended. Calls that only read go to the worker directly.
// Any thread.
class WorkerLane {
 public:
  // All outlive the lane.
  WorkerLane(Worker& worker, SessionDirectory& directory, EventLog& log)
      : worker_(worker), directory_(directory), log_(log) {}

  // Makes the session, or nothing at all. Errors of SessionDirectory::Reserve and of the worker.
  // Where the id is live here already, `existing` decides: the live session goes in, its status
  // comes out.
  absl::StatusOr<SessionSnapshot> CreateSession(
      SessionSpec spec, absl::FunctionRef<absl::Status(const SessionSnapshot&)> existing);
  // The tombstone, also when the session has ended by itself meanwhile.
  absl::StatusOr<SessionPlace> DeleteSession(absl::string_view session_id);
  absl::StatusOr<SessionSnapshot> UpdateSession(absl::string_view session_id, SessionUpdate update);
  absl::StatusOr<SessionSnapshot> SetForwarding(absl::string_view session_id,
                                                std::vector<ForwardingRule> rules);

  absl::StatusOr<LegSnapshot> AddLeg(absl::string_view session_id, LegSpec spec, IpFamily family);
  // `decide` makes the update from the leg as it is; nobody changes the leg in between.
  absl::StatusOr<LegSnapshot> UpdateLeg(
      absl::string_view session_id, absl::string_view leg_id,
      absl::FunctionRef<absl::StatusOr<LegUpdate>(const LegSnapshot&)> decide);
  absl::StatusOr<LegSnapshot> RemoveLeg(absl::string_view session_id, absl::string_view leg_id);

  // Puts what the worker told into log and directory.
  void PublishNotices();

  Worker& worker() { return worker_; }

 private:
  // The session must be live on this worker.
  absl::Status CheckLive(absl::string_view session_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(turn_);
  // The worker's error, or that the session has ended by itself where that is the cause.
  absl::Status Explain(absl::string_view session_id, const absl::Status& error)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(turn_);
  void Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(turn_);
  std::optional<SessionPlace> End(SessionSnapshot report) ABSL_EXCLUSIVE_LOCKS_REQUIRED(turn_);

  Worker& worker_;
  SessionDirectory& directory_;
  EventLog& log_;
  absl::Mutex turn_;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_WORKER_LANE_H_

#ifndef GATEWAY_CONTROL_CONTROL_ROOM_H_
#define GATEWAY_CONTROL_CONTROL_ROOM_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gateway/config/limits.h"
#include "gateway/control/event_log.h"
#include "gateway/control/event_streams.h"
#include "gateway/control/session_directory.h"
#include "gateway/control/watcher_places.h"
#include "gateway/control/worker_lane.h"
#include "gateway/session/session_spec.h"
#include "gateway/worker/worker_pool.h"

namespace sluice {

// A live session or a tombstone.
struct FoundSession {
  SessionSnapshot snapshot;
  SessionPlace place;
};

// Everything that control calls share: the workers, and what is known of their sessions. Any
// thread.
class ControlRoom {
 public:
  // `workers` outlives the room.
  ControlRoom(const Limits& limits, std::string instance_id, std::function<absl::Time()> now,
              WorkerPool& workers);

  // Calls `call` with the lane of the worker that has the session; NotFound when none has.
  absl::Status OnLane(absl::string_view session_id,
                      absl::FunctionRef<absl::Status(WorkerLane&)> call);
  // The same for a session that may have to be made.
  absl::Status OnLaneForNew(absl::string_view session_id,
                            absl::FunctionRef<absl::Status(WorkerLane&)> call);

  absl::StatusOr<FoundSession> Find(absl::string_view session_id);

  // What all workers noticed goes to log and directory.
  void PublishNotices();

  absl::Time now() const { return now_(); }
  WorkerPool& workers() { return workers_; }
  SessionDirectory& directory() { return directory_; }
  EventLog& log() { return log_; }
  WatcherPlaces& watchers() { return watchers_; }
  EventStreams& streams() { return streams_; }

 private:
  const std::function<absl::Time()> now_;
  WorkerPool& workers_;
  SessionDirectory directory_;
  EventLog log_;
  WatcherPlaces watchers_;
  EventStreams streams_;
  // By the worker's index.
  std::vector<std::unique_ptr<WorkerLane>> lanes_;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_CONTROL_ROOM_H_

#ifndef GATEWAY_CONTROL_SESSION_DIRECTORY_H_
#define GATEWAY_CONTROL_SESSION_DIRECTORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "gateway/session/session_spec.h"

namespace sluice {

struct DirectoryLimits {
  // At least 1.
  size_t workers = 1;
  // Live ones of all workers together, and of one.
  size_t sessions = 1;
  size_t sessions_per_worker = 1;
  // Tombstones beyond either number go, oldest first.
  size_t tombstones = 1;
  size_t tombstone_bytes = 1;
  absl::Duration tombstone_lifetime;
};

// Where one session is, or was.
struct SessionPlace {
  size_t worker = 0;
  absl::Time created;
  // A tombstone: what the session left behind, and when.
  std::shared_ptr<const SessionSnapshot> report;
  absl::Time ended;

  bool live() const { return report == nullptr; }
};

// All that is given must match.
struct SessionQuery {
  absl::string_view id_prefix;
  SessionLabels labels;
  // Tombstones instead of live sessions.
  bool ended = false;
};

struct ListedSession {
  std::string id;
  SessionPlace place;
};

struct DirectoryUsage {
  size_t sessions = 0;
  uint64_t sessions_refused = 0;
  size_t tombstones = 0;
  // Forgotten before their lifetime was over.
  uint64_t tombstones_evicted = 0;
};

// Which worker has which session, and which ids were used lately. A session is in here from before
// its worker makes it until after the worker has let go of it, so that an id has one place only.
// Whoever changes a session holds the turn of its worker (see WorkerLane); the directory itself is
// for any thread.
class SessionDirectory {
 public:
  SessionDirectory(const DirectoryLimits& limits, std::function<absl::Time()> now);

  // nullopt: never seen, or forgotten.
  std::optional<SessionPlace> Find(absl::string_view id);

  // Where the next session goes: the worker that has the fewest.
  size_t EmptiestWorker() const;

  // Takes the id for a session that is about to be made on `worker`, or says why not:
  //   AlreadyExists       it is live, or about to be
  //   FailedPrecondition  it is a tombstone
  //   ResourceExhausted   limit "sessions"
  //   Aborted             that worker got its share meanwhile; ask for the emptiest again
  absl::Status Reserve(absl::string_view id, size_t worker, const SessionLabels& labels);
  // The session could not be made.
  void Release(absl::string_view id);

  void SetLabels(absl::string_view id, const SessionLabels& labels);

  // Makes a live session a tombstone. nullopt, and no change, when it is not live.
  std::optional<SessionPlace> Bury(SessionSnapshot report);

  // Up to `max` matches behind the id `after`, in the order of ids. `more` tells whether there were
  // others behind them.
  std::vector<ListedSession> List(const SessionQuery& query, absl::string_view after, size_t max,
                                  bool& more);

  DirectoryUsage usage();

 private:
  struct Entry {
    SessionPlace place;
    // Of a live session; a tombstone's are in its report.
    SessionLabels labels;
    // Of a tombstone.
    size_t bytes = 0;
  };

  // Tombstones that are too old or too many are forgotten by whoever comes next.
  void ForgetOld() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const DirectoryLimits limits_;
  const std::function<absl::Time()> now_;

  mutable absl::Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ ABSL_GUARDED_BY(mutex_);
  std::vector<size_t> sessions_by_worker_ ABSL_GUARDED_BY(mutex_);
  // Tombstones in the order of their end.
  std::deque<std::string> ended_ ABSL_GUARDED_BY(mutex_);
  size_t ended_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t live_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t evicted_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_SESSION_DIRECTORY_H_

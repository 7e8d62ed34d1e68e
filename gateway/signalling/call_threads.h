#ifndef GATEWAY_SIGNALLING_CALL_THREADS_H_
#define GATEWAY_SIGNALLING_CALL_THREADS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace sluice {

struct CallThreadLimits {
  // Calls that are being made at the same time, at least 1. Each waits for one media worker at a
  // time: more threads than that only wait in longer lines.
  size_t threads = 8;
  // Calls that wait for a thread. At about 100 us each with 8 threads the last one waits for a few
  // milliseconds; a client is better told to come again than to wait for longer.
  size_t waiting = 256;
};

struct CallThreadUsage {
  size_t busy = 0;
  size_t waiting = 0;
  // Calls that were made, and those that found no place to wait.
  uint64_t made = 0;
  uint64_t refused = 0;
};

// Threads for calls that wait for media workers, so that whoever serves connections never does. Any
// thread.
class CallThreads {
 public:
  // One call, all of it.
  using Work = absl::AnyInvocable<void() &&>;

  explicit CallThreads(const CallThreadLimits& limits);
  // Waits for the calls that are being made; those that wait are dropped, unmade.
  ~CallThreads();
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  // `work` is done on some thread, soon; first come, first served. ResourceExhausted, limit
  // "participant_calls", when as many wait as may: nothing is done then. Does not block.
  absl::Status Submit(Work work);

  CallThreadUsage usage() const;

 private:
  void Run();
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || !waiting_.empty();
  }

  const CallThreadLimits limits_;

  mutable absl::Mutex mutex_;
  std::deque<Work> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  CallThreadUsage usage_ ABSL_GUARDED_BY(mutex_);
  // Last: they use all of the above.
  std::vector<std::thread> threads_;
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_CALL_THREADS_H_

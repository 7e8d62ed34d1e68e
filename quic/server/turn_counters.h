#ifndef QUIC_SERVER_TURN_COUNTERS_H_
#define QUIC_SERVER_TURN_COUNTERS_H_

#include <type_traits>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace sluice {

// Counters that one thread counts without thinking of others, as they were at the end of its last
// turn, for all to read. Once per turn and not per event, so the lock costs nothing.
template <typename Counters>
class TurnCounters {
 public:
  static_assert(std::is_trivially_copyable_v<Counters>, "a copy under a lock must not allocate");

  // The thread that counts.
  void Publish(const Counters& counters) {
    const absl::MutexLock lock(&mutex_);
    published_ = counters;
  }
  // Any thread.
  Counters Read() const {
    const absl::MutexLock lock(&mutex_);
    return published_;
  }

 private:
  mutable absl::Mutex mutex_;
  Counters published_ ABSL_GUARDED_BY(mutex_){};
};

}  // namespace sluice

#endif  // QUIC_SERVER_TURN_COUNTERS_H_

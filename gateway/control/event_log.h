#ifndef GATEWAY_CONTROL_EVENT_LOG_H_
#define GATEWAY_CONTROL_EVENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "proto/gateway/v1/events.pb.h"

namespace sluice {

// The newest events of the gateway, in order, for watchers that are there and for those that come
// back. Sequences start at 1 and have no gaps; they mean something only together with the instance.
// Any thread.
class EventLog {
 public:
  // Keeps `capacity` events, at least 1. `now` gives their time.
  EventLog(size_t capacity, std::string instance_id, std::function<absl::Time()> now);

  const std::string& instance_id() const { return instance_id_; }

  // Sets sequence and time.
  void Append(gateway::v1::Event event);

  // Of the newest event; 0 before the first.
  uint64_t latest() const;

  // Whether a watcher can go on behind `sequence` of `instance_id`: OutOfRange when the events
  // behind it are no longer kept, never were, or are of another instance.
  absl::Status CheckResume(uint64_t sequence, absl::string_view instance_id) const;

  using Events = std::vector<std::shared_ptr<const gateway::v1::Event>>;
  // Up to `max` events behind `sequence`, oldest first. Waits for the first at most `patience`;
  // none when it did not come. OutOfRange when the next one is no longer kept: the reader was too
  // slow. Unavailable after Close, when all was read.
  absl::StatusOr<Events> Read(uint64_t sequence, size_t max, absl::Duration patience) const;

  // Waits for Close at most `patience`; whether it was called.
  bool WaitForClose(absl::Duration patience) const;

  // Lets all readers go, now and later. Events can still be appended and read.
  void Close();

 private:
  uint64_t oldest() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t capacity_;
  const std::string instance_id_;
  const std::function<absl::Time()> now_;

  mutable absl::Mutex mutex_;
  // A ring: the event of sequence s is at s % capacity_.
  Events ring_ ABSL_GUARDED_BY(mutex_);
  uint64_t latest_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_EVENT_LOG_H_

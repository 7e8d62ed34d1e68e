#include "gateway/control/event_log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "gateway/control/time_convert.h"

namespace sluice {

EventLog::EventLog(size_t capacity, std::string instance_id, std::function<absl::Time()> now)
    : capacity_(capacity), instance_id_(std::move(instance_id)), now_(std::move(now)) {
  SLUICE_CHECK(capacity_ > 0);
  ring_.resize(capacity_);
}

uint64_t EventLog::oldest() const { return latest_ > capacity_ ? latest_ - capacity_ + 1 : 1; }

void EventLog::Append(gateway::v1::Event event) {
  absl::MutexLock lock(&mutex_);
  event.set_sequence(++latest_);
  *event.mutable_time() = ToProto(now_());
  ring_[latest_ % capacity_] = std::make_shared<const gateway::v1::Event>(std::move(event));
}

uint64_t EventLog::latest() const {
  absl::MutexLock lock(&mutex_);
  return latest_;
}

absl::Status EventLog::CheckResume(uint64_t sequence, absl::string_view instance_id) const {
  absl::MutexLock lock(&mutex_);
  if (instance_id != instance_id_) {
    return absl::OutOfRangeError(
        "the sequence is of another instance of the gateway, which has been restarted since; watch "
        "from 0 and list the sessions");
  }
  if (sequence > latest_) {
    return absl::OutOfRangeError(
        absl::StrCat("sequence ", sequence, " is not yet there, the newest is ", latest_));
  }
  if (sequence + 1 < oldest()) {
    return absl::OutOfRangeError(absl::StrCat("events behind ", sequence,
                                              " are no longer kept, the oldest is ", oldest(),
                                              "; watch from 0 and list the sessions"));
  }
  return absl::OkStatus();
}

absl::StatusOr<EventLog::Events> EventLog::Read(uint64_t sequence, size_t max,
                                                absl::Duration patience) const {
  absl::MutexLock lock(&mutex_);
  const auto ready = [this, sequence]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return latest_ > sequence || closed_;
  };
  mutex_.AwaitWithTimeout(absl::Condition(&ready), patience);
  if (latest_ <= sequence) {
    return closed_ ? absl::StatusOr<Events>(absl::UnavailableError("the gateway is stopping"))
                   : Events();
  }
  if (sequence + 1 < oldest()) {
    return absl::OutOfRangeError(absl::StrCat("the watcher fell behind: events up to ",
                                              oldest() - 1, " are no longer kept"));
  }
  Events events;
  const uint64_t last = std::min<uint64_t>(latest_, sequence + max);
  for (uint64_t s = sequence + 1; s <= last; ++s) {
    events.push_back(ring_[s % capacity_]);
  }
  return events;
}

bool EventLog::WaitForClose(absl::Duration patience) const {
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(&closed_), patience);
}

void EventLog::Close() {
  absl::MutexLock lock(&mutex_);
  closed_ = true;
}

}  // namespace sluice

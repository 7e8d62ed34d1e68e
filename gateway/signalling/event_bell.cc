#include "gateway/signalling/event_bell.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace sluice {

EventBell::EventBell(const EventLog& log, std::function<void()> ring)
    : log_(log), ring_(std::move(ring)), thread_([this] { Run(); }) {}

EventBell::~EventBell() {
  stopping_.store(true, std::memory_order_relaxed);
  thread_.join();
}

void EventBell::Run() {
  uint64_t sequence = log_.latest();
  while (!stopping_.load(std::memory_order_relaxed)) {
    // One is enough to know that there are some.
    const absl::StatusOr<EventLog::Events> events = log_.Read(sequence, 1, kBellInterval);
    // What was appended by now is behind this ring.
    sequence = log_.latest();
    ring_();
    // The log stays closed: all that is to be said has been said.
    if (absl::IsUnavailable(events.status())) {
      return;
    }
  }
}

}  // namespace sluice

#include "gateway/control/event_streams.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/id_check.h"

namespace sluice {
namespace {

// gRPC's synchronous server tells of a cancelled call only when asked; nothing waits for the answer
// but a thread that could serve another watcher.
constexpr absl::Duration kCancelledPoll = absl::Milliseconds(200);
// Events taken from the log at a time.
constexpr size_t kReadBatch = 64;

absl::Status CheckRequest(const gateway::v1::WatchEventsRequest& request) {
  FieldViolations violations;
  if (request.after_sequence() != 0 && request.instance_id().empty()) {
    violations.Add("instance_id", "must be given with after_sequence: the instance it is from");
  }
  if (!request.session_id().empty()) {
    CheckId("session_id", request.session_id(), violations);
  }
  return violations.ToStatus();
}

}  // namespace

absl::StatusOr<EventStreams::Start> EventStreams::Begin(
    const gateway::v1::WatchEventsRequest& request) const {
  absl::Status status = CheckRequest(request);
  if (!status.ok()) {
    return status;
  }
  Start start;
  start.first.set_instance_id(log_.instance_id());
  start.first.set_latest_sequence(log_.latest());
  start.sequence = start.first.latest_sequence();
  if (request.after_sequence() != 0) {
    status = log_.CheckResume(request.after_sequence(), request.instance_id());
    if (!status.ok()) {
      return status;
    }
    start.sequence = request.after_sequence();
  }
  return start;
}

absl::Status EventStreams::Serve(
    const gateway::v1::WatchEventsRequest& request, absl::FunctionRef<bool()> cancelled,
    absl::FunctionRef<bool(const gateway::v1::WatchEventsResponse&)> write) {
  const absl::StatusOr<WatcherPlaces::Place> watcher = places_.Take();
  if (!watcher.ok()) {
    return watcher.status();
  }
  const absl::StatusOr<Start> start = Begin(request);
  return start.ok() ? Follow(request, *start, cancelled, write) : start.status();
}

absl::Status EventStreams::Follow(
    const gateway::v1::WatchEventsRequest& request, const Start& start,
    absl::FunctionRef<bool()> cancelled,
    absl::FunctionRef<bool(const gateway::v1::WatchEventsResponse&)> write) {
  if (!write(start.first)) {
    return absl::OkStatus();
  }
  uint64_t sequence = start.sequence;
  gateway::v1::WatchEventsResponse response;
  while (!cancelled()) {
    const absl::StatusOr<EventLog::Events> events = log_.Read(sequence, kReadBatch, kCancelledPoll);
    if (!events.ok()) {
      return events.status();
    }
    for (const auto& event : *events) {
      sequence = event->sequence();
      if (!request.session_id().empty() && event->session_id() != request.session_id()) {
        continue;
      }
      *response.mutable_event() = *event;
      if (!write(response)) {
        return absl::OkStatus();
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace sluice

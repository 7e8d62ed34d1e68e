#ifndef GATEWAY_CONTROL_EVENT_STREAMS_H_
#define GATEWAY_CONTROL_EVENT_STREAMS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/control/event_log.h"
#include "gateway/control/watcher_places.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {

// Serves event streams from the log, each of which holds a thread and a watcher's place. Any
// thread.
class EventStreams {
 public:
  // Both outlive the streams.
  EventStreams(EventLog& log, WatcherPlaces& places) : log_(log), places_(places) {}

  // Where a stream begins: its first message, and the newest event that its watcher knows. Takes no
  // place, for who reads the log behind it by other means than a thread. InvalidArgument and
  // OutOfRange as Serve.
  struct Start {
    gateway::v1::WatchEventsResponse first;
    uint64_t sequence = 0;
  };
  absl::StatusOr<Start> Begin(const gateway::v1::WatchEventsRequest& request) const;

  // One stream, from its first message to its end:
  //   OK                 `write` said false or `cancelled` true: nobody listens any more
  //   InvalidArgument    of the request
  //   OutOfRange         the events asked for are gone, or the reader was too slow
  //   ResourceExhausted  limit "watchers"
  //   Unavailable        the log was closed
  absl::Status Serve(const gateway::v1::WatchEventsRequest& request,
                     absl::FunctionRef<bool()> cancelled,
                     absl::FunctionRef<bool(const gateway::v1::WatchEventsResponse&)> write);

 private:
  absl::Status Follow(const gateway::v1::WatchEventsRequest& request, const Start& start,
                      absl::FunctionRef<bool()> cancelled,
                      absl::FunctionRef<bool(const gateway::v1::WatchEventsResponse&)> write);

  EventLog& log_;
  WatcherPlaces& places_;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_EVENT_STREAMS_H_

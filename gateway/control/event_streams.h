#ifndef GATEWAY_CONTROL_EVENT_STREAMS_H_
#define GATEWAY_CONTROL_EVENT_STREAMS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "gateway/control/event_log.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {

// Serves event streams from the log, a bounded number at the same time since each holds a thread.
// Any thread.
class EventStreams {
 public:
  // `log` outlives the streams.
  EventStreams(EventLog& log, size_t max_streams) : log_(log), max_streams_(max_streams) {}

  // One stream, from its first message to its end:
  //   OK                 `write` said false or `cancelled` true: nobody listens any more
  //   InvalidArgument    of the request
  //   OutOfRange         the events asked for are gone, or the reader was too slow
  //   ResourceExhausted  limit "watchers"
  //   Unavailable        the log was closed
  absl::Status Serve(const gateway::v1::WatchEventsRequest& request,
                     absl::FunctionRef<bool()> cancelled,
                     absl::FunctionRef<bool(const gateway::v1::WatchEventsResponse&)> write);

  size_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  absl::Status Follow(const gateway::v1::WatchEventsRequest& request,
                      absl::FunctionRef<bool()> cancelled,
                      absl::FunctionRef<bool(const gateway::v1::WatchEventsResponse&)> write);

  EventLog& log_;
  const size_t max_streams_;
  std::atomic<size_t> used_{0};
  std::atomic<uint64_t> refused_{0};
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_EVENT_STREAMS_H_

#ifndef GATEWAY_SIGNALLING_EVENT_BELL_H_
#define GATEWAY_SIGNALLING_EVENT_BELL_H_

#include <atomic>
#include <functional>
#include <thread>

#include "absl/time/time.h"
#include "gateway/control/event_log.h"

namespace sluice {

// How long the bell is silent at most. Tokens of streams are looked at that often, as on gRPC.
inline constexpr absl::Duration kBellInterval = absl::Milliseconds(200);

// A thread that waits for events, so that one that must not wait can serve any number of watchers:
// it is told that there is something to read, and reads the log itself.
class EventBell {
 public:
  // Rings when events were appended, when the log was closed, and after kBellInterval without
  // either. `ring` is called on the bell's thread and must not block. `log` outlives the bell.
  EventBell(const EventLog& log, std::function<void()> ring);
  // Takes kBellInterval at most. `ring` is not called afterwards.
  ~EventBell();
  EventBell(const EventBell&) = delete;
  EventBell& operator=(const EventBell&) = delete;

 private:
  void Run();

  const EventLog& log_;
  const std::function<void()> ring_;
  std::atomic<bool> stopping_{false};
  // Last: it uses all of the above.
  std::thread thread_;
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_EVENT_BELL_H_

#ifndef GATEWAY_CONTROL_EVENT_PUMP_H_
#define GATEWAY_CONTROL_EVENT_PUMP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace sluice {

// The thread that takes what workers notice to where controllers see it, while no call does so on
// its way.
class EventPump {
 public:
  EventPump() = default;
  // Stop().
  ~EventPump();

  // Something waits to be published. Any thread, before Start and after Stop too; does not block.
  void Wake();

  // From now on `publish` is called on the pump's thread after each Wake, and once at the
  // beginning. Once only.
  void Start(std::function<void()> publish);
  // Returns when the last call of `publish` has. Any number of times, one thread at a time.
  void Stop();

 private:
  void Run(const std::function<void()>& publish);

  std::atomic<uint32_t> wakes_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_EVENT_PUMP_H_

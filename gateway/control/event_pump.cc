#include "gateway/control/event_pump.h"

#include <utility>

namespace sluice {

EventPump::~EventPump() { Stop(); }

void EventPump::Wake() {
  wakes_.fetch_add(1, std::memory_order_release);
  // A futex: the worker that calls this never waits for the pump.
  wakes_.notify_one();
}

void EventPump::Start(std::function<void()> publish) {
  thread_ = std::thread([this, publish = std::move(publish)] { Run(publish); });
}

void EventPump::Stop() {
  stopping_.store(true, std::memory_order_release);
  Wake();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void EventPump::Run(const std::function<void()>& publish) {
  // Read before publishing: what is noticed while it runs brings another round.
  uint32_t seen = wakes_.load(std::memory_order_acquire);
  publish();
  while (!stopping_.load(std::memory_order_acquire)) {
    wakes_.wait(seen, std::memory_order_acquire);
    seen = wakes_.load(std::memory_order_acquire);
    publish();
  }
}

}  // namespace sluice

#ifndef TESTS_E2E_DEADLINE_H_
#define TESTS_E2E_DEADLINE_H_

#include <algorithm>
#include <chrono>

namespace sluice {

// The moment by which something must have happened. A test that passes never waits that long: it
// goes on when what it waits for arrives, so a deadline may be generous on a noisy machine.
class Deadline {
 public:
  static Deadline After(std::chrono::milliseconds span) {
    return Deadline(std::chrono::steady_clock::now() + span);
  }
  // For whatever takes milliseconds when all is well.
  static Deadline Generous() { return After(std::chrono::seconds(60)); }
  // Has passed already: takes what is there and does not wait.
  static Deadline Now() { return After(std::chrono::milliseconds(0)); }

  bool passed() const { return std::chrono::steady_clock::now() >= end_; }

  // Milliseconds for poll(2), rounded up; 0 once passed.
  int PollTimeout() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
  }

  // The same moment on the clock that gRPC takes.
  std::chrono::system_clock::time_point ForGrpc() const {
    return std::chrono::system_clock::now() + (end_ - std::chrono::steady_clock::now());
  }

 private:
  explicit Deadline(std::chrono::steady_clock::time_point end) : end_(end) {}

  std::chrono::steady_clock::time_point end_;
};

}  // namespace sluice

#endif  // TESTS_E2E_DEADLINE_H_

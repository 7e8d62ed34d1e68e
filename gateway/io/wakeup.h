#ifndef GATEWAY_IO_WAKEUP_H_
#define GATEWAY_IO_WAKEUP_H_

#include "absl/status/statusor.h"

namespace sluice {

// An eventfd: Signal from any thread makes fd() readable until Clear. Signals do not add up.
class Wakeup {
 public:
  static absl::StatusOr<Wakeup> Create();
  Wakeup(Wakeup&& other) noexcept;
  Wakeup& operator=(Wakeup&& other) noexcept;
  ~Wakeup();

  // Any thread; does not block.
  void Signal();
  // One thread. Take what the signals announce after this call, or one may be missed.
  void Clear();

  // For Epoll; stays owned by this object.
  int fd() const { return fd_; }

 private:
  explicit Wakeup(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace sluice

#endif  // GATEWAY_IO_WAKEUP_H_

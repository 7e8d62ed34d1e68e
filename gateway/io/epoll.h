#ifndef GATEWAY_IO_EPOLL_H_
#define GATEWAY_IO_EPOLL_H_

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/time_delta.h"

namespace sluice {

// Waits for descriptors to become readable; level-triggered, so what is left unread is reported
// again. Each descriptor has a token of the caller's choice, best a handle with a generation: a
// report of a descriptor removed meanwhile is then noticed. One thread.
class Epoll {
 public:
  // Reports per call. With more ready descriptors the kernel rotates through them.
  static constexpr size_t kMaxReady = 64;

  static absl::StatusOr<Epoll> Create();
  Epoll(Epoll&& other) noexcept;
  Epoll& operator=(Epoll&& other) noexcept;
  ~Epoll();

  // `fd` stays the caller's, who removes it before closing it.
  absl::Status Add(int fd, uint64_t token);
  void Remove(int fd);

  // Tokens of readable descriptors, none after `timeout`, which is rounded up to milliseconds (so a
  // deadline waited for has passed). Not positive: does not wait. The answer is good until the next
  // call.
  absl::Span<const uint64_t> Wait(TimeDelta timeout);

 private:
  explicit Epoll(int fd) : fd_(fd) {}

  int fd_;
  std::array<epoll_event, kMaxReady> events_;
  std::array<uint64_t, kMaxReady> tokens_;
};

}  // namespace sluice

#endif  // GATEWAY_IO_EPOLL_H_

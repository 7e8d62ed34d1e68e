#include "gateway/io/wakeup.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "base/check.h"

namespace sluice {

absl::StatusOr<Wakeup> Wakeup::Create() {
  const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot make an eventfd");
  return Wakeup(fd);
}

Wakeup::Wakeup(Wakeup&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Wakeup& Wakeup::operator=(Wakeup&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Wakeup::~Wakeup() {
  if (fd_ >= 0) close(fd_);
}

void Wakeup::Signal() {
  constexpr uint64_t kOne = 1;
  while (write(fd_, &kOne, sizeof(kOne)) < 0) {
    // EAGAIN: 2^64 - 2 signals wait already, which is readable enough.
    if (errno == EAGAIN) return;
    SLUICE_CHECK(errno == EINTR) << "eventfd write failed with errno " << errno;
  }
}

void Wakeup::Clear() {
  uint64_t signals;
  while (read(fd_, &signals, sizeof(signals)) < 0) {
    // EAGAIN: there was none.
    if (errno == EAGAIN) return;
    SLUICE_CHECK(errno == EINTR) << "eventfd read failed with errno " << errno;
  }
}

}  // namespace sluice

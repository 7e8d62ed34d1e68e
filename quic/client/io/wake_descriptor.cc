#include "quic/client/io/wake_descriptor.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace sluice {

absl::StatusOr<std::unique_ptr<WakeDescriptor>> WakeDescriptor::Create() {
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) return absl::ErrnoToStatus(errno, "eventfd");
  return absl::WrapUnique(new WakeDescriptor(fd));
}

WakeDescriptor::~WakeDescriptor() { close(fd_); }

void WakeDescriptor::Wake() {
  // Fails only when the count is at its end, and then it is readable anyway.
  static_cast<void>(eventfd_write(fd_, 1));
}

void WakeDescriptor::Clear() {
  eventfd_t count;
  static_cast<void>(eventfd_read(fd_, &count));
}

}  // namespace sluice

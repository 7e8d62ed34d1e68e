#include "quic/io/command_queue.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/check.h"

namespace sluice {

absl::StatusOr<std::unique_ptr<CommandQueue>> CommandQueue::Create() {
  const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot make an eventfd");
  return std::unique_ptr<CommandQueue>(new CommandQueue(fd));
}

CommandQueue::CommandQueue(int fd) : fd_(fd) {
  waiting_.reserve(kMaxCommands);
  taken_.reserve(kMaxCommands);
}

CommandQueue::~CommandQueue() { close(fd_); }

bool CommandQueue::Post(ListenerCommand command) {
  {
    const absl::MutexLock lock(&mutex_);
    if (closed_ || waiting_.size() == kMaxCommands) {
      ++refused_;
      return false;
    }
    waiting_.push_back(std::move(command));
  }
  Wake();
  return true;
}

void CommandQueue::Wake() {
  constexpr uint64_t kOne = 1;
  while (write(fd_, &kOne, sizeof(kOne)) < 0) {
    // EAGAIN: so many signals wait that it is readable enough.
    if (errno == EAGAIN) return;
    SLUICE_CHECK(errno == EINTR) << "eventfd write failed with errno " << errno;
  }
}

uint64_t CommandQueue::refused() const {
  const absl::MutexLock lock(&mutex_);
  return refused_;
}

absl::Span<ListenerCommand> CommandQueue::TakeAll() {
  // First, so that a command that comes in between is announced once more.
  uint64_t signals;
  while (read(fd_, &signals, sizeof(signals)) < 0 && errno == EINTR) {
  }
  taken_.clear();
  const absl::MutexLock lock(&mutex_);
  taken_.swap(waiting_);
  return absl::MakeSpan(taken_);
}

void CommandQueue::Close() {
  taken_.clear();
  {
    const absl::MutexLock lock(&mutex_);
    closed_ = true;
    taken_.swap(waiting_);
  }
  // Outside of the lock: what a command holds may do anything when it goes.
  taken_.clear();
}

}  // namespace sluice

#include "tools/ctl/stop_signal.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>

#include "absl/time/clock.h"
#include "base/check.h"

namespace sluice {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Read end and write end. What is written stays unread, so that everybody who waits sees it.
int pipe_ends[2] = {-1, -1};

// A handler may call little more than write.
void HandleSignal(int) {
  const int error = errno;
  const char byte = 0;
  // A full pipe is readable already.
  [[maybe_unused]] const ssize_t written = write(pipe_ends[1], &byte, 1);
  errno = error;
}

}  // namespace

StopSignal::StopSignal() {
  SLUICE_CHECK(pipe_ends[0] < 0) << "only one StopSignal at a time";
  SLUICE_CHECK(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0);
  struct sigaction action = {};
  action.sa_handler = HandleSignal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

StopSignal::~StopSignal() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  pipe_ends[0] = pipe_ends[1] = -1;
}

int StopSignal::fd() const { return pipe_ends[0]; }

bool StopSignal::received() const { return Wait(absl::ZeroDuration()); }

bool StopSignal::Wait(absl::Duration at_most) const {
  const absl::Time deadline = absl::Now() + at_most;
  pollfd entry = {.fd = fd(), .events = POLLIN, .revents = 0};
  for (;;) {
    const int64_t ms = absl::ToInt64Milliseconds(deadline - absl::Now() + absl::Microseconds(999));
    const int ready = poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(ms, 0, INT32_MAX)));
    if (ready > 0) return true;
    if (ready == 0) return false;
    // Interrupted: by a signal of ours, which is in the pipe, or by another one.
  }
}

}  // namespace sluice

#include "gateway/io/epoll.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace sluice {
namespace {

int ToMilliseconds(TimeDelta timeout) {
  if (timeout <= TimeDelta::Zero()) return 0;
  if (!timeout.IsFinite()) return -1;
  const int64_t rounded_up = (timeout.us() - 1) / 1'000 + 1;
  return static_cast<int>(std::min<int64_t>(rounded_up, std::numeric_limits<int>::max()));
}

}  // namespace

absl::StatusOr<Epoll> Epoll::Create() {
  const int fd = epoll_create1(EPOLL_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot make an epoll");
  return Epoll(fd);
}

Epoll::Epoll(Epoll&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Epoll& Epoll::operator=(Epoll&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Epoll::~Epoll() {
  if (fd_ >= 0) close(fd_);
}

absl::Status Epoll::Add(int fd, uint64_t token) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = token;
  if (epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot wait for descriptor ", fd));
  }
  return absl::OkStatus();
}

void Epoll::Remove(int fd) {
  // Only of what was added; anything else is our mistake.
  if (epoll_ctl(fd_, EPOLL_CTL_DEL, fd, nullptr) != 0) SLUICE_BUG(epoll_removes_unknown_descriptor);
}

absl::Span<const uint64_t> Epoll::Wait(TimeDelta timeout) {
  const int ready =
      epoll_wait(fd_, events_.data(), static_cast<int>(kMaxReady), ToMilliseconds(timeout));
  if (ready < 0) {
    SLUICE_CHECK(errno == EINTR) << "epoll_wait failed with errno " << errno;
    return {};
  }
  const size_t count = static_cast<size_t>(ready);
  std::transform(events_.begin(), events_.begin() + ready, tokens_.begin(),
                 [](const epoll_event& event) { return event.data.u64; });
  return absl::MakeConstSpan(tokens_.data(), count);
}

}  // namespace sluice

#include "gateway/quic/key_log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {

absl::StatusOr<std::unique_ptr<KeyLogFile>> KeyLogFile::Open(const std::string& path,
                                                             size_t max_bytes) {
  // Without O_NONBLOCK a pipe would keep the gateway from starting until somebody reads it.
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
           S_IRUSR | S_IWUSR);
  struct stat status = {};
  if (fd < 0 || fstat(fd, &status) != 0) {
    const int error = errno;
    if (fd >= 0) {
      close(fd);
    }
    return absl::UnavailableError(absl::StrCat("cannot write the key log ", path, ": ",
                                               std::generic_category().message(error)));
  }
  absl::Cleanup close_fd = [fd] { close(fd); };
  if (!S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the key log ", path, " is not a file; name one that keys may be written to"));
  }
  if ((status.st_mode & (S_IRWXO | S_IRWXG)) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the key log ", path,
        " can be read or written by others than its owner: chmod 600 it or remove it"));
  }
  const auto size = static_cast<size_t>(status.st_size);
  std::move(close_fd).Cancel();
  return std::unique_ptr<KeyLogFile>(new KeyLogFile(fd, max_bytes > size ? max_bytes - size : 0));
}

KeyLogFile::~KeyLogFile() { close(fd_); }

void KeyLogFile::Write(absl::string_view line) {
  char feed = '\n';
  iovec pieces[] = {{const_cast<char*>(line.data()), line.size()}, {&feed, 1}};
  const size_t size = line.size() + 1;
  if (size > room_) {
    room_ = 0;
  }
  if (room_ == 0 || writev(fd_, pieces, std::size(pieces)) != static_cast<ssize_t>(size)) {
    if (lost_.fetch_add(1, std::memory_order_relaxed) == 0) {
      LOG(WARNING) << "the key log is full or cannot be written: keys are missing from now on";
    }
    return;
  }
  room_ -= size;
}

}  // namespace sluice

#include "tools/ctl/new_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

absl::Status Failed(absl::string_view what, const std::string& path, int error) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot ", what, " ", path, ": ", std::strerror(error)));
}

bool WriteWhole(int fd, absl::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

NewFile::NewFile(std::string path, std::string temporary)
    : path_(std::move(path)), temporary_(std::move(temporary)) {}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, "")) {}

NewFile::~NewFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

absl::StatusOr<NewFile> NewFile::Write(const std::string& path, absl::string_view content,
                                       mode_t mode) {
  std::string temporary = absl::StrCat(path, ".XXXXXX");
  // Made by mkstemp with mode 0600 and by nobody before: there is no moment when others could read.
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return Failed("create a file beside", path, errno);
  NewFile file(path, temporary);
  const bool written = WriteWhole(fd, content) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
  const int error = errno;
  const bool closed = close(fd) == 0;
  if (!written || !closed) return Failed("write", temporary, written ? errno : error);
  return file;
}

absl::Status NewFile::Publish() {
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return Failed("write", path_, errno);
  temporary_.clear();
  return absl::OkStatus();
}

}  // namespace sluice

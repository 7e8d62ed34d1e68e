#include "tests/e2e/awaited_file.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {

AwaitedFile::AwaitedFile(std::string folder, absl::string_view name)
    : path_(absl::StrCat(folder, "/", name)), inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (inotify_add_watch(inotify_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO) < 0) {
    ADD_FAILURE() << "cannot watch " << folder;
  }
}

AwaitedFile::~AwaitedFile() { close(inotify_); }

absl::StatusOr<std::string> AwaitedFile::Await(ChildProcess& program, Deadline deadline) {
  while (true) {
    pollfd ready[2] = {{.fd = inotify_, .events = POLLIN, .revents = 0},
                       {.fd = program.pidfd(), .events = POLLIN, .revents = 0}};
    poll(ready, 2, deadline.PollTimeout());
    char events[4096];
    while (read(inotify_, events, sizeof events) > 0) {
      // Which file it was is told by the file itself, below.
    }
    const std::string content(absl::StripAsciiWhitespace(ReadFileOrEmpty(path_)));
    if (!content.empty()) {
      return content;
    }
    if (const std::optional<int> exit_code = program.Wait(Deadline::Now())) {
      return absl::UnavailableError(
          absl::StrCat("ended with ", *exit_code, " and said: ", program.StderrText()));
    }
    if (deadline.passed()) {
      return absl::DeadlineExceededError(
          absl::StrCat("does not get ready; said: ", program.StderrText()));
    }
  }
}

}  // namespace sluice

#include "tests/e2e/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace sluice {
namespace {

// glibc 2.36 has pidfd_open; older ones know the call only by its number.
int PidfdOpen(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

// Starts `argv` with the two outputs; 0 or an errno.
int Spawn(const std::vector<std::string>& argv, int stdout_fd, const std::string& stdout_path,
          const std::string& stderr_path, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const absl::Cleanup destroy = [&] {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  };
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (stdout_fd >= 0) {
    posix_spawn_file_actions_adddup2(&files, stdout_fd, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, stdout_path.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  }
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, stderr_path.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  // gRPC in the test may have blocked or ignored signals, which a program would inherit.
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> arguments;
  for (const std::string& argument : argv) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  return posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(std::vector<std::string> argv,
                                                                  Stdout stdout_to) {
  auto child = std::unique_ptr<ChildProcess>(new ChildProcess());
  int pipe_ends[2] = {-1, -1};
  if (stdout_to == Stdout::kPipe) {
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
      return absl::ErrnoToStatus(errno, "no pipe");
    }
    child->stdout_fd_ = pipe_ends[0];
  }
  const int error = Spawn(argv, pipe_ends[1], child->scratch_.File("stdout"),
                          child->scratch_.File("stderr"), child->pid_);
  if (pipe_ends[1] >= 0) {
    close(pipe_ends[1]);
  }
  if (error != 0) {
    child->pid_ = -1;
    return absl::ErrnoToStatus(error, absl::StrCat("cannot start ", argv[0]));
  }
  child->pidfd_ = PidfdOpen(child->pid_);
  if (child->pidfd_ < 0) {
    return absl::ErrnoToStatus(errno, "no descriptor for a process (Linux 5.3 has it)");
  }
  return child;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && !exit_code_.has_value()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int fd : {pidfd_, stdout_fd_}) {
    if (fd >= 0) {
      close(fd);
    }
  }
}

void ChildProcess::Signal(int signal) {
  if (!exit_code_.has_value()) {
    kill(pid_, signal);
  }
}

std::optional<int> ChildProcess::Wait(Deadline deadline) {
  if (exit_code_.has_value()) {
    return exit_code_;
  }
  pollfd ended = {.fd = pidfd_, .events = POLLIN, .revents = 0};
  while (poll(&ended, 1, deadline.PollTimeout()) < 0 && errno == EINTR) {
  }
  if ((ended.revents & POLLIN) == 0) {
    return std::nullopt;
  }
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) {
    return std::nullopt;
  }
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_code_;
}

absl::StatusOr<ProgramResult> RunProgram(std::vector<std::string> argv, Deadline deadline) {
  const std::string command = absl::StrJoin(argv, " ");
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(std::move(argv));
  if (!child.ok()) {
    return child.status();
  }
  const std::optional<int> exit_code = (*child)->Wait(deadline);
  if (!exit_code.has_value()) {
    return absl::DeadlineExceededError(
        absl::StrCat("still running: ", command, "\n", (*child)->StderrText()));
  }
  return ProgramResult{*exit_code, (*child)->StdoutText(), (*child)->StderrText()};
}

}  // namespace sluice

#include "tools/ctl/demo/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

// Between fork and exec, in a process that may have had other threads: system calls only.
[[noreturn]] void RunChild(char* const* arguments, pid_t parent, int in, int out, int log,
                           int error_pipe) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // The parent may have died before it was asked for.
  if (getppid() == parent && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
      dup2(log, STDERR_FILENO) >= 0) {
    execvp(arguments[0], arguments);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(error_pipe, &error, sizeof(error));
  _exit(127);
}

absl::Status CannotStart(const std::string& program, int error) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot start ", program, ": ", std::strerror(error),
                   error == ENOENT ? " (tools/bootstrap installs it)" : ""));
}

}  // namespace

ChildProcess::ChildProcess(pid_t pid, int stdout_fd, std::string log_path)
    : pid_(pid), stdout_fd_(stdout_fd), log_path_(std::move(log_path)) {}

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(const Options& options) {
  const std::string& program = options.arguments.front();
  std::vector<char*> arguments;
  for (const std::string& a : options.arguments) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);

  Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  Descriptor log(open(options.log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  int error_pipe[2] = {-1, -1};
  int out_pipe[2] = {-1, -1};
  if (null.get() < 0 || log.get() < 0 || pipe2(error_pipe, O_CLOEXEC) != 0) {
    return CannotStart(program, errno);
  }
  Descriptor error_read(error_pipe[0]), error_write(error_pipe[1]);
  if (options.read_stdout && pipe2(out_pipe, O_CLOEXEC) != 0) return CannotStart(program, errno);
  Descriptor out_read(out_pipe[0]), out_write(out_pipe[1]);

  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return CannotStart(program, errno);
  if (pid == 0) {
    RunChild(arguments.data(), parent, null.get(),
             options.read_stdout ? out_write.get() : null.get(), log.get(), error_write.get());
  }
  // Closed by a successful exec, which is what the read below waits for.
  error_write.Close();
  int error = 0;
  ssize_t size;
  do {
    size = read(error_read.get(), &error, sizeof(error));
  } while (size < 0 && errno == EINTR);
  if (size == sizeof(error)) {
    waitpid(pid, nullptr, 0);
    return CannotStart(program, error);
  }
  if (options.read_stdout) fcntl(out_read.get(), F_SETFL, O_NONBLOCK);
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, out_read.Release(), options.log_path));
}

ChildProcess::~ChildProcess() {
  if (!HasEnded()) {
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (stdout_fd_ >= 0) close(stdout_fd_);
}

void ChildProcess::Signal(int signal) {
  if (!HasEnded()) kill(-pid_, signal);
}

bool ChildProcess::HasEnded() {
  int status = 0;
  if (!exit_code_.has_value() && waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return exit_code_.has_value();
}

std::string ChildProcess::Log() const {
  std::ifstream file(log_path_, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

}  // namespace sluice

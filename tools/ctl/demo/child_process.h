#ifndef TOOLS_CTL_DEMO_CHILD_PROCESS_H_
#define TOOLS_CTL_DEMO_CHILD_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace sluice {

// A program started by us. It is in a process group of its own, so that Ctrl-C in the terminal does
// not reach it before we have decided what to do; the kernel kills it if we die; and it is killed,
// if still there, when this object goes.
class ChildProcess {
 public:
  struct Options {
    // The program, looked for in $PATH, and its arguments. Everybody on the machine can see them.
    std::vector<std::string> arguments;
    // Where stderr goes.
    std::string log_path;
    // Whether stdout is to be read from stdout_fd(); otherwise it is thrown away.
    bool read_stdout = false;
  };

  // An error when the program cannot be executed.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(const Options& options);

  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }

  // Read end of its stdout, non-blocking; -1 if it is not read.
  int stdout_fd() const { return stdout_fd_; }

  // Does nothing when it has ended.
  void Signal(int signal);

  // Does not wait.
  bool HasEnded();
  // What it returned, or 128 plus the signal that ended it. Only after HasEnded().
  int exit_code() const { return *exit_code_; }

  // All that it has written to stderr so far.
  std::string Log() const;

 private:
  ChildProcess(pid_t pid, int stdout_fd, std::string log_path);

  const pid_t pid_;
  const int stdout_fd_;
  const std::string log_path_;
  std::optional<int> exit_code_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_CHILD_PROCESS_H_

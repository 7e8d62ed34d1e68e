#ifndef TESTS_E2E_CHILD_PROCESS_H_
#define TESTS_E2E_CHILD_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {

// A program that the test runs. What it writes is kept in files, so that it never waits for the
// test to read; killed with the object.
class ChildProcess {
 public:
  enum class Stdout : uint8_t {
    kFile,
    // To be read from stdout_fd(); the program waits when nobody does.
    kPipe,
  };

  // `argv[0]` is a path, or a name to be found in PATH.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(std::vector<std::string> argv,
                                                             Stdout stdout_to = Stdout::kFile);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Becomes readable when the program ends.
  int pidfd() const { return pidfd_; }
  // -1 unless Stdout::kPipe.
  int stdout_fd() const { return stdout_fd_; }

  void Signal(int signal);
  // The exit code, or 128 plus the signal that ended it (as a shell tells it); nothing when it
  // still runs at the deadline.
  std::optional<int> Wait(Deadline deadline);

  // What it wrote so far.
  std::string StdoutText() const { return ReadFileOrEmpty(scratch_.File("stdout")); }
  std::string StderrText() const { return ReadFileOrEmpty(scratch_.File("stderr")); }

 private:
  ChildProcess() = default;

  ScratchFolder scratch_;
  pid_t pid_ = -1;
  int pidfd_ = -1;
  int stdout_fd_ = -1;
  std::optional<int> exit_code_;
};

// How a program ended that was run to its end.
struct ProgramResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// DeadlineExceeded when it does not end in time; it is killed then.
absl::StatusOr<ProgramResult> RunProgram(std::vector<std::string> argv,
                                         Deadline deadline = Deadline::Generous());

}  // namespace sluice

#endif  // TESTS_E2E_CHILD_PROCESS_H_

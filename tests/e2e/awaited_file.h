#ifndef TESTS_E2E_AWAITED_FILE_H_
#define TESTS_E2E_AWAITED_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/deadline.h"

namespace sluice {

// The file that a program writes when it serves. The kernel tells when it appears, so nobody looks
// again and again.
class AwaitedFile {
 public:
  // To be made before the program is started; `folder` exists, the file does not.
  AwaitedFile(std::string folder, absl::string_view name);
  ~AwaitedFile();
  AwaitedFile(const AwaitedFile&) = delete;
  AwaitedFile& operator=(const AwaitedFile&) = delete;

  const std::string& path() const { return path_; }

  // The file's content without blanks around it. An error when `program` ends first or the deadline
  // passes, with what it wrote to stderr.
  absl::StatusOr<std::string> Await(ChildProcess& program, Deadline deadline);

 private:
  std::string path_;
  int inotify_;
};

}  // namespace sluice

#endif  // TESTS_E2E_AWAITED_FILE_H_

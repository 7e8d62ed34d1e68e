#ifndef TESTS_E2E_SCRATCH_FOLDER_H_
#define TESTS_E2E_SCRATCH_FOLDER_H_

#include <string>

#include "absl/strings/string_view.h"

namespace sluice {

// A folder of its own below the test's temporary one; removed with all it holds.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  // The path of a file in it, whether it exists or not.
  std::string File(absl::string_view name) const;
  // Writes a file and returns its path.
  std::string Write(absl::string_view name, absl::string_view content) const;

 private:
  std::string path_;
};

// The whole file; empty when it cannot be read.
std::string ReadFileOrEmpty(const std::string& path);

}  // namespace sluice

#endif  // TESTS_E2E_SCRATCH_FOLDER_H_

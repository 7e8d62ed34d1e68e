#ifndef TOOLS_CTL_DEMO_SCRATCH_FOLDER_H_
#define TOOLS_CTL_DEMO_SCRATCH_FOLDER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sluice {

// A folder under $TMPDIR (or /tmp) that only its owner may enter, gone with all that is in it when
// this object is.
class ScratchFolder {
 public:
  static absl::StatusOr<ScratchFolder> Create();

  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&& other) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

  // Path of a file in it.
  std::string File(absl::string_view name) const;

  // Writes a file with mode 0600 and returns its path.
  absl::StatusOr<std::string> WriteSecret(absl::string_view name, absl::string_view content) const;

 private:
  explicit ScratchFolder(std::string path);

  // Empty once moved from.
  std::string path_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_SCRATCH_FOLDER_H_

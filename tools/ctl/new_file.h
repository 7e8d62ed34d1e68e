#ifndef TOOLS_CTL_NEW_FILE_H_
#define TOOLS_CTL_NEW_FILE_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sluice {

// A file that is written under a temporary name and appears under its own when it is complete, so
// that nobody reads half of a key. Not published, it is gone with this object.
class NewFile {
 public:
  // Writes the content to disk beside `path`. The mode is exact, whatever the umask.
  static absl::StatusOr<NewFile> Write(const std::string& path, absl::string_view content,
                                       mode_t mode);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) = delete;
  ~NewFile();

  // Gives the file its name, in place of what had it.
  absl::Status Publish();

  const std::string& path() const { return path_; }

 private:
  NewFile(std::string path, std::string temporary);

  std::string path_;
  // Empty once published.
  std::string temporary_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_NEW_FILE_H_

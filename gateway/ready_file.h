#ifndef GATEWAY_READY_FILE_H_
#define GATEWAY_READY_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace sluice {

// Tells scripts that the gateway serves, and where: whoever finds the file finds all of it.
class ReadyFile {
 public:
  // An old file of that name is removed, so that nobody takes it for this gateway's.
  explicit ReadyFile(std::string path);
  // Removes the file.
  ~ReadyFile();
  ReadyFile(const ReadyFile&) = delete;
  ReadyFile& operator=(const ReadyFile&) = delete;

  // Writes `lines`, each with a newline, at once, by renaming. A sentence when that is not
  // possible.
  absl::Status Write(const std::vector<std::string>& lines);

 private:
  const std::string path_;
};

}  // namespace sluice

#endif  // GATEWAY_READY_FILE_H_

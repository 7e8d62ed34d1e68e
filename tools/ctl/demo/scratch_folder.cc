#include "tools/ctl/demo/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/ctl/new_file.h"

namespace sluice {

ScratchFolder::ScratchFolder(std::string path) : path_(std::move(path)) {}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

absl::StatusOr<ScratchFolder> ScratchFolder::Create() {
  const char* top = std::getenv("TMPDIR");
  if (top == nullptr || *top == '\0') top = "/tmp";
  std::string path = absl::StrCat(top, "/sluicectl.XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot make a folder in ", top, ": ", std::strerror(errno)));
  }
  return ScratchFolder(std::move(path));
}

std::string ScratchFolder::File(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

absl::StatusOr<std::string> ScratchFolder::WriteSecret(absl::string_view name,
                                                       absl::string_view content) const {
  absl::StatusOr<NewFile> file = NewFile::Write(File(name), content, 0600);
  if (!file.ok()) return file.status();
  if (absl::Status status = file->Publish(); !status.ok()) return status;
  return file->path();
}

}  // namespace sluice

#include "tests/e2e/scratch_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sluice {

ScratchFolder::ScratchFolder() : path_(absl::StrCat(::testing::TempDir(), "/e2e.XXXXXX")) {
  if (mkdtemp(path_.data()) == nullptr) {
    ADD_FAILURE() << "cannot make a folder like " << path_;
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::File(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

std::string ScratchFolder::Write(absl::string_view name, absl::string_view content) const {
  std::string path = File(name);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) {
    ADD_FAILURE() << "cannot write " << path;
  }
  return path;
}

std::string ReadFileOrEmpty(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace sluice

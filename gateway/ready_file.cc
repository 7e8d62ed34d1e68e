#include "gateway/ready_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace sluice {

ReadyFile::ReadyFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

ReadyFile::~ReadyFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

absl::Status ReadyFile::Write(const std::vector<std::string>& lines) {
  const std::string unfinished = path_ + ".new";
  std::ofstream out(unfinished, std::ios::trunc);
  for (const std::string& line : lines) {
    out << line << '\n';
  }
  out.close();
  std::error_code error;
  if (out.good()) {
    std::filesystem::rename(unfinished, path_, error);
  }
  if (!out.good() || error) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    return absl::UnavailableError(absl::StrCat("cannot write the ready file ", path_));
  }
  return absl::OkStatus();
}

}  // namespace sluice

#include "tests/interop/quic/curl_client.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/e2e/child_process.h"

namespace sluice {

CurlClient::CurlClient(uint16_t port, const std::string& root)
    : port_(port), root_file_(folder_.Write("root.pem", root)) {}

std::string CurlClient::Request(const std::string& path, std::vector<std::string> flags) const {
  std::vector<std::string> argv = {"env",
                                   "LD_LIBRARY_PATH=tests/interop/quic/curl_files",
                                   "tests/interop/quic/curl_request",
                                   "--ca",
                                   root_file_,
                                   "--resolve",
                                   absl::StrCat("localhost:", port_, ":127.0.0.1")};
  for (std::string& flag : flags) argv.push_back(std::move(flag));
  argv.push_back(absl::StrCat("https://localhost:", port_, path));
  const absl::StatusOr<ProgramResult> result = RunProgram(std::move(argv));
  if (!result.ok()) return result.status().ToString();
  return result->exit_code == 0 ? result->out : result->err;
}

std::string BodyOf(const std::string& answer) {
  const size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

}  // namespace sluice

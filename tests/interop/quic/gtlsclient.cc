#include "tests/interop/quic/gtlsclient.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/deadline.h"
#include "tests/interop/quic/transfer_bytes.h"
#include "tools/load/udp_address_text.h"

namespace sluice {
namespace {

constexpr char kFolder[] = "tests/interop/quic/gtlsclient_files";

}  // namespace

std::string GtlsClient::Fetch(const std::vector<size_t>& sizes, std::vector<std::string> flags) {
  Begin(sizes, std::move(flags));
  return Finish();
}

void GtlsClient::Begin(const std::vector<size_t>& sizes, std::vector<std::string> flags) {
  std::vector<std::string> argv = {"env",
                                   absl::StrCat("LD_LIBRARY_PATH=", kFolder),
                                   absl::StrCat(kFolder, "/gtlsclient"),
                                   "--exit-on-all-streams-close",
                                   "--timeout=20s",
                                   "--no-http-dump",
                                   "--sni=localhost",
                                   absl::StrCat("--download=", folder_.path())};
  for (std::string& flag : flags) argv.push_back(std::move(flag));
  argv.push_back(server_.is_v6() ? "::1" : "127.0.0.1");
  argv.push_back(absl::StrCat(server_.port()));
  for (const size_t size : sizes) {
    argv.push_back(absl::StrCat("https://", ToText(server_), "/bytes/", size));
  }
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(std::move(argv));
  ASSERT_TRUE(child.ok()) << child.status();
  child_ = *std::move(child);
}

std::string GtlsClient::Finish() {
  if (child_ == nullptr) return "";
  EXPECT_TRUE(child_->Wait(Deadline::Generous()).has_value()) << "gtlsclient does not end";
  return absl::StrCat(child_->StdoutText(), child_->StderrText());
}

std::string GtlsClient::Body(size_t size) const {
  return ReadFileOrEmpty(folder_.File(absl::StrCat(size)));
}

bool GtlsClient::AllArrived(const std::vector<size_t>& sizes) const {
  for (const size_t size : sizes) {
    const std::string body = Body(size);
    if (body != TransferBytes(size)) {
      ADD_FAILURE() << "/bytes/" << size << " has " << body.size() << " bytes, or others";
      return false;
    }
  }
  return true;
}

int CountLines(const std::string& log, const std::string& text) {
  int count = 0;
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    count += absl::StrContains(line, text) ? 1 : 0;
  }
  return count;
}

}  // namespace sluice

// HTTP/3 as libcurl speaks it.

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/child_process.h"
#include "tests/interop/quic/quic_interop_fixture.h"
#include "tests/interop/quic/transfer_bytes.h"

namespace sluice {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CurlTest : public QuicInteropTest {
 protected:
  // What curl_request prints, or why there is nothing.
  std::string Request(const std::string& path, std::vector<std::string> flags = {}) {
    const std::string root = folder_.Write("root.pem", server_->root_certificate());
    const uint16_t port = server_->address().port();
    std::vector<std::string> argv = {"env",
                                     "LD_LIBRARY_PATH=tests/interop/quic/curl_files",
                                     "tests/interop/quic/curl_request",
                                     "--ca",
                                     root,
                                     "--resolve",
                                     absl::StrCat("localhost:", port, ":127.0.0.1")};
    for (std::string& flag : flags) argv.push_back(std::move(flag));
    argv.push_back(absl::StrCat("https://localhost:", port, path));
    const absl::StatusOr<ProgramResult> result = RunProgram(std::move(argv));
    if (!result.ok()) return result.status().ToString();
    return result->exit_code == 0 ? result->out : result->err;
  }
};

TEST_F(CurlTest, GetsWithAVerifiedCertificate) {
  StartServer();
  const std::string answer = Request("/bytes/1000000");
  EXPECT_THAT(answer, StartsWith("version 30 status 200\nHTTP/3 200"));
  EXPECT_THAT(answer, HasSubstr("content-length: 1000000"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n" + TransferBytes(1'000'000)));
}

TEST_F(CurlTest, PostsABody) {
  StartServer();
  const std::string body(60'000, 'x');
  const std::string answer = Request(
      "/echo", {"--method", "POST", "--body", body, "--field", "content-type: application/json"});
  EXPECT_THAT(answer, StartsWith("version 30 status 200"));
  EXPECT_THAT(answer, HasSubstr("content-type: application/json"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n" + body));
}

TEST_F(CurlTest, HearsOfWhatIsNotThere) {
  StartServer();
  EXPECT_THAT(Request("/nothing"), StartsWith("version 30 status 404"));
}

TEST_F(CurlTest, DoesNotTrustACertificateForAnotherName) {
  StartServer({.dns_name = "other.test"});
  EXPECT_THAT(Request("/healthz"), HasSubstr("certificate"));
  EXPECT_EQ(server_->transfers().requests(), 0u);
}

}  // namespace
}  // namespace sluice

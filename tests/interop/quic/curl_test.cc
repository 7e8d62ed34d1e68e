// HTTP/3 as libcurl speaks it.

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/interop/quic/curl_client.h"
#include "tests/interop/quic/quic_interop_fixture.h"
#include "tests/interop/quic/transfer_bytes.h"

namespace sluice {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CurlTest : public QuicInteropTest {
 protected:
  std::string Request(const std::string& path, std::vector<std::string> flags = {}) {
    return CurlClient(server_->address().port(), server_->root_certificate())
        .Request(path, std::move(flags));
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

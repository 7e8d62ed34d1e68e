// HTTP/3 as a browser speaks it: a page of our server, whose script asks the server.

#include <openssl/base64.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/child_process.h"
#include "tests/interop/quic/quic_interop_fixture.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

// What the script finds out becomes the page.
constexpr char kPage[] = R"(<!DOCTYPE html><title>t</title><p id="out">nothing</p><script>
(async () => {
  const health = await (await fetch('/healthz')).json();
  const echo = await fetch('/echo', {method: 'POST', body: JSON.stringify({n: 7}),
                                     headers: {'content-type': 'application/json'}});
  const number = (await echo.json()).n;
  const bytes = await (await fetch('/bytes/300000')).arrayBuffer();
  const missing = await fetch('/nothing');
  const protocols = performance.getEntriesByType('resource').map(e => e.nextHopProtocol);
  document.getElementById('out').textContent = [health.status, number, bytes.byteLength,
    missing.status, [...new Set(protocols)].join('+')].join(' ');
})();
</script>)";

// Chromium trusts a certificate with this hash of its key (RFC 7469 section 2.4).
std::string KeyHash(const std::string& pem) {
  bssl::UniquePtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  bssl::UniquePtr<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  uint8_t* key = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate.get()), &key);
  bssl::UniquePtr<uint8_t> owned(key);
  std::array<uint8_t, SHA256_DIGEST_LENGTH> hash;
  SHA256(key, static_cast<size_t>(size), hash.data());
  // Four letters for three bytes, and an end.
  std::array<uint8_t, 4 * (SHA256_DIGEST_LENGTH / 3 + 1) + 1> text;
  const size_t letters = EVP_EncodeBlock(text.data(), hash.data(), hash.size());
  return {text.begin(), text.begin() + static_cast<std::ptrdiff_t>(letters)};
}

class ChromiumTest : public QuicInteropTest {
 protected:
  // The page after its script has run, or what went wrong.
  std::string Dump() {
    const std::string host = absl::StrCat("localhost:", server_->address().port());
    const absl::StatusOr<ProgramResult> result = RunProgram(
        {"env", absl::StrCat("HOME=", folder_.path()), "chromium", "--headless", "--no-sandbox",
         "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
         absl::StrCat("--user-data-dir=", folder_.File("profile")),
         absl::StrCat("--origin-to-force-quic-on=", host),
         absl::StrCat("--ignore-certificate-errors-spki-list=", KeyHash(server_->certificate())),
         // Not ::1, where nobody listens.
         "--host-resolver-rules=MAP localhost 127.0.0.1",
         // Of virtual time, which stands still while a request is under way.
         "--virtual-time-budget=10000", "--dump-dom", absl::StrCat("https://", host, "/")});
    if (!result.ok()) return result.status().ToString();
    return absl::StrCat(result->out, result->err);
  }
};

TEST_F(ChromiumTest, APageAndItsRequestsComeOverHttp3) {
  StartServer({.page = kPage});
  EXPECT_THAT(Dump(), HasSubstr("SERVING 7 300000 404 h3</p>"));
  EXPECT_GE(server_->transfers().requests(), 5u);
}

TEST_F(ChromiumTest, GoesThroughARetry) {
  StartServer({.retry_always = true, .page = kPage});
  EXPECT_THAT(Dump(), HasSubstr("SERVING 7 300000 404 h3</p>"));
}

}  // namespace
}  // namespace sluice

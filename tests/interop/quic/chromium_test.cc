// HTTP/3 as a browser speaks it: a page of our server, whose script asks the server.

#include "tests/interop/quic/chromium.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

class ChromiumTest : public QuicInteropTest {
 protected:
  std::string Dump() { return ChromiumDump({{server_->address().port(), server_->certificate()}}); }
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

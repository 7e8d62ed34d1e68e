#include "quic/tls/tls_client_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "quic/tls/testing/test_certificates.h"

namespace sluice {
namespace {

std::string Refusal(const std::string& roots) {
  const absl::Status status =
      TlsClientContext::Create({.protocols = {{.name = "h3"}}, .trusted_pem = roots}).status();
  EXPECT_EQ(ERR_peek_error(), 0u);
  return std::string(status.message());
}

TEST(TlsClientContextTest, NeedsRootsOrTheWordThatNoneAreWanted) {
  const std::string root = MakeTestRoot().certificate;
  EXPECT_EQ(Refusal(root), "");
  EXPECT_EQ(Refusal(root + MakeTestRoot().certificate), "");
  EXPECT_EQ(Refusal(""), "a client needs roots to trust");
  EXPECT_EQ(Refusal("nothing"), "the roots to trust are not certificates in PEM");
  EXPECT_EQ(Refusal(root + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            "the roots to trust are not certificates in PEM");
  EXPECT_EQ(
      TlsClientContext::Create({.protocols = {{.name = "h3"}}, .trust_anyone = true}).status(),
      absl::OkStatus());
}

TEST(TlsClientContextTest, ATicketThatIsNoneIsForgotten) {
  const auto context =
      TlsClientContext::Create({.protocols = {{.name = "h3"}}, .trust_anyone = true});
  ASSERT_EQ(context.status(), absl::OkStatus());
  const std::vector<uint8_t> junk = {1, 2, 3};
  const bssl::UniquePtr<SSL> ssl = (*context)->NewSession("sluice.test", 0, junk);
  ASSERT_NE(ssl, nullptr);
  EXPECT_EQ(SSL_get_session(ssl.get()), nullptr);
  EXPECT_EQ(ERR_peek_error(), 0u);
}

TEST(TlsClientContextTest, NamesAreSentAndAddressesAreNot) {
  const auto context =
      TlsClientContext::Create({.protocols = {{.name = "h3"}}, .trust_anyone = true});
  ASSERT_EQ(context.status(), absl::OkStatus());
  const auto sent = [&](const std::string& name) {
    const bssl::UniquePtr<SSL> ssl = (*context)->NewSession(name, 0, {});
    EXPECT_EQ(ERR_peek_error(), 0u);
    if (ssl == nullptr) return std::string("refused");
    const char* text = SSL_get_servername(ssl.get(), TLSEXT_NAMETYPE_host_name);
    return text != nullptr ? std::string(text) : std::string("nothing");
  };
  EXPECT_EQ(sent("sluice.test"), "sluice.test");
  EXPECT_EQ(sent("1.2.3.4.example"), "1.2.3.4.example");
  for (const char* address : {"192.0.2.7", "127.0.0.1", "::1", "2001:db8::7"}) {
    EXPECT_EQ(sent(address), "nothing") << address;
  }
  EXPECT_EQ(sent(""), "refused");
}

}  // namespace
}  // namespace sluice

#include "quic/tls/packet_key_installer.h"

#include <ngtcp2/ngtcp2.h>
#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/testing/bare_connection.h"
#include "quic/tls/tls_client_context.h"

namespace sluice {
namespace {

// Which keys are right is seen where peers understand each other: tls_session_test.
TEST(PacketKeyInstallerTest, NoCipherIsNoKey) {
  SeededRandom random(33);
  const auto context =
      *TlsClientContext::Create({.protocols = {{.name = "x"}}, .trust_anyone = true});
  const auto client = BareConnection::Client(
      Timestamp::Zero(), context->NewSession("sluice.test", 0, {}), context->protocols(), random);
  const std::vector<uint8_t> secret(32);
  for (const ngtcp2_encryption_level level :
       {NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE, NGTCP2_ENCRYPTION_LEVEL_1RTT}) {
    EXPECT_FALSE(InstallReadKey(client->conn(), level, secret));
    EXPECT_FALSE(InstallWriteKey(client->conn(), level, secret));
  }
}

}  // namespace
}  // namespace sluice

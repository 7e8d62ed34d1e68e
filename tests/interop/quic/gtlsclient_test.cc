// The cases of the QUIC interop runner that need no bad network, against ngtcp2's client.

#include "tests/interop/quic/gtlsclient.h"

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"
#include "quic/server/endpoint_verdict.h"
#include "tests/interop/quic/quic_interop_fixture.h"
#include "tests/interop/quic/quic_test_server.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

constexpr char kVersion1[] = "0x00000001";
constexpr char kVersion2[] = "0x6b3343cf";

// As the client's log says it.
std::string Negotiated(const char* version) {
  return absl::StrCat("the negotiated version is ", version);
}

class GtlsClientTest : public QuicInteropTest {
 protected:
  // What the client says of a connection on which it got everything.
  std::string FetchAll(GtlsClient& client, const std::vector<size_t>& sizes,
                       const std::vector<std::string>& flags = {}) {
    const std::string log = client.Fetch(sizes, flags);
    EXPECT_TRUE(client.AllArrived(sizes)) << log;
    return log;
  }
};

TEST_F(GtlsClientTest, HandshakeAndHttp3) {
  StartServer();
  GtlsClient client(server_->address());
  const std::string log = FetchAll(client, {100});
  EXPECT_THAT(log, HasSubstr("Negotiated ALPN is h3"));
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
  EXPECT_EQ(Count(EndpointVerdict::kRetrySent), 0u);
}

TEST_F(GtlsClientTest, Transfer) {
  StartServer();
  GtlsClient client(server_->address());
  FetchAll(client, {2'000'000, 3'000'000, 5'000'000}, {"-q"});
}

TEST_F(GtlsClientTest, TransferWithSmallWindows) {
  StartServer();
  GtlsClient client(server_->address());
  FetchAll(client, {1'000'000, 1'000'001},
           {"-q", "--max-data=64K", "--max-stream-data-bidi-local=16K"});
}

TEST_F(GtlsClientTest, Chacha20) {
  StartServer();
  GtlsClient client(server_->address());
  const std::string log = FetchAll(
      client, {100'000},
      {"--no-quic-dump", "--ciphers=NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+CHACHA20-POLY1305"});
  EXPECT_THAT(log, HasSubstr("Negotiated cipher suite is CHACHA20-POLY1305"));
}

TEST_F(GtlsClientTest, MultiplexingOf2000SmallRequests) {
  StartServer();
  GtlsClient client(server_->address());
  std::vector<size_t> sizes(2000);
  std::iota(sizes.begin(), sizes.end(), 1);
  FetchAll(client, sizes, {"-q"});
  EXPECT_EQ(server_->transfers().requests(), 2000u);
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
}

TEST_F(GtlsClientTest, Retry) {
  StartServer({.retry_always = true});
  GtlsClient client(server_->address());
  FetchAll(client, {100'000}, {"--no-quic-dump"});
  EXPECT_EQ(Count(EndpointVerdict::kRetrySent), 1u);
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
}

TEST_F(GtlsClientTest, ATokenOfLastTimeSparesTheRetry) {
  StartServer({.retry_always = true});
  GtlsClient client(server_->address());
  const std::vector<std::string> flags = {"--no-quic-dump", "--token-file=" + client.File("token")};
  FetchAll(client, {1000}, flags);
  FetchAll(client, {2000}, flags);
  EXPECT_EQ(Count(EndpointVerdict::kRetrySent), 1u);
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 2u);
}

class GtlsClientResumptionTest : public GtlsClientTest {
 protected:
  std::vector<std::string> Flags(const GtlsClient& client) {
    return {"--session-file=" + client.File("session"), "--tp-file=" + client.File("parameters")};
  }
  // The first connection, which ends with a ticket.
  void GetTicket(GtlsClient& client) {
    std::vector<std::string> flags = Flags(client);
    flags.push_back("--wait-for-ticket");
    FetchAll(client, {1000}, flags);
  }
};

TEST_F(GtlsClientResumptionTest, Resumption) {
  StartServer();
  GtlsClient client(server_->address());
  GetTicket(client);
  std::vector<std::string> flags = Flags(client);
  flags.push_back("--disable-early-data");
  FetchAll(client, {2000}, flags);
  EXPECT_EQ(server_->resumed(), 1u);
  EXPECT_EQ(server_->transfers().early_requests(), 0u);
}

TEST_F(GtlsClientResumptionTest, RefusedEarlyDataIsSentAgain) {
  StartServer();
  GtlsClient client(server_->address());
  GetTicket(client);
  FetchAll(client, {2000}, Flags(client));
  EXPECT_EQ(server_->resumed(), 1u);
  EXPECT_EQ(server_->transfers().early_requests(), 0u);
  EXPECT_EQ(server_->transfers().requests(), 2u);
}

TEST_F(GtlsClientResumptionTest, EarlyDataIsTakenWhereItIsOn) {
  StartServer({.early_data = true});
  GtlsClient client(server_->address());
  GetTicket(client);
  FetchAll(client, {2000}, Flags(client));
  EXPECT_EQ(server_->transfers().early_requests(), 1u);
  EXPECT_EQ(server_->transfers().requests(), 2u);
}

TEST_F(GtlsClientTest, KeyUpdate) {
  StartServer();
  GtlsClient client(server_->address());
  const std::string log =
      FetchAll(client, {100'000}, {"--no-quic-dump", "--key-update=100ms", "--delay-stream=300ms"});
  EXPECT_THAT(log, HasSubstr("key update confirmed"));
}

TEST_F(GtlsClientTest, Ipv6) {
  StartServer({.address = UdpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0)});
  GtlsClient client(server_->address());
  FetchAll(client, {1'000'000}, {"-q"});
}

TEST_F(GtlsClientTest, Version2WhereItIsOn) {
  StartServer({.version2 = true});
  GtlsClient client(server_->address());
  const std::string log = FetchAll(client, {100'000}, {"--no-quic-dump", "--version=v2"});
  EXPECT_THAT(log, HasSubstr(Negotiated(kVersion2)));
  EXPECT_EQ(Count(EndpointVerdict::kVersionNegotiationSent), 0u);
}

TEST_F(GtlsClientTest, Version2IsNegotiatedAwayWhereItIsOff) {
  StartServer();
  GtlsClient client(server_->address());
  const std::string log =
      FetchAll(client, {100'000}, {"--no-quic-dump", "--version=v2", "--preferred-versions=v2,v1"});
  EXPECT_THAT(log, HasSubstr(Negotiated(kVersion1)));
  EXPECT_EQ(Count(EndpointVerdict::kVersionNegotiationSent), 1u);
}

// RFC 9368 section 2.3: without another round trip.
TEST_F(GtlsClientTest, AClientThatBeginsWithVersion1AndHas2IsMovedWhereItIsOn) {
  for (const bool version2 : {true, false}) {
    StartServer({.version2 = version2});
    GtlsClient client(server_->address());
    const std::string log = FetchAll(
        client, {100'000}, {"--no-quic-dump", "--version=v1", "--available-versions=v2,v1"});
    EXPECT_THAT(log, HasSubstr(Negotiated(version2 ? kVersion2 : kVersion1)));
    EXPECT_EQ(Count(EndpointVerdict::kVersionNegotiationSent), 0u);
  }
}

TEST_F(GtlsClientTest, AnUnknownVersionIsNegotiatedAway) {
  StartServer({.version2 = true});
  GtlsClient client(server_->address());
  FetchAll(client, {1000}, {"--no-quic-dump", "--version=0x5a6a7a8a", "--preferred-versions=v1"});
  EXPECT_EQ(Count(EndpointVerdict::kVersionNegotiationSent), 1u);
}

TEST_F(GtlsClientTest, AClientThatHasNoCipherOfOursIsToldSo) {
  StartServer();
  GtlsClient client(server_->address());
  const std::string log = client.Fetch(
      {1000},
      {"--no-quic-dump", "--ciphers=NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-128-CCM"});
  EXPECT_EQ(client.Body(1000), "");
  // CRYPTO_ERROR with the alert handshake_failure.
  EXPECT_THAT(log, HasSubstr("error_code=CRYPTO_ERROR(0x128)"));
}

TEST_F(GtlsClientTest, ConnectionMigration) {
  StartServer();
  GtlsClient client(server_->address());
  const std::string log = FetchAll(
      client, {1'000'000}, {"--no-quic-dump", "--change-local-addr=100ms", "--delay-stream=300ms"});
  EXPECT_THAT(log, HasSubstr("Changing local address"));
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
}

TEST_F(GtlsClientTest, ConnectionMigrationThatTheClientDoesNotKnowOf) {
  StartServer();
  GtlsClient client(server_->address());
  FetchAll(
      client, {1'000'000},
      {"--no-quic-dump", "--change-local-addr=100ms", "--nat-rebinding", "--delay-stream=300ms"});
  EXPECT_EQ(Count(EndpointVerdict::kAccepted), 1u);
}

}  // namespace
}  // namespace sluice

#include "quic/tls/tls_session.h"

#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto_boringssl.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/data_size.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_decoder.h"
#include "quic/codec/transport_parameters_printer.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/bare_connection.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// RFC 9001 section 4.8: an alert as an error code of QUIC.
constexpr uint64_t CryptoError(uint8_t alert) { return 0x100 + alert; }

class LastTicket : public TicketReceiver {
 public:
  void OnTicket(absl::Span<const uint8_t> session) override {
    bytes.assign(session.begin(), session.end());
  }
  Bytes bytes;
};

ApplicationProtocol Signalling() {
  ApplicationProtocol protocol{.name = "sluice/1"};
  protocol.parameters.max_idle_timeout = TimeDelta::Seconds(30);
  protocol.parameters.initial_max_data = DataSize::Bytes(111111);
  protocol.parameters.initial_max_stream_data_bidi_local = DataSize::Bytes(2222);
  protocol.parameters.initial_max_stream_data_bidi_remote = DataSize::Bytes(3333);
  protocol.parameters.initial_max_stream_data_uni = DataSize::Bytes(4444);
  protocol.parameters.initial_max_streams_bidi = 55;
  protocol.parameters.initial_max_streams_uni = 6;
  protocol.parameters.active_connection_id_limit = 7;
  protocol.parameters.ack_delay_exponent = 4;
  protocol.parameters.max_ack_delay = TimeDelta::Millis(20);
  protocol.parameters.max_datagram_frame_size = DataSize::Bytes(1200);
  return protocol;
}

ApplicationProtocol Http3() {
  ApplicationProtocol protocol{.name = "h3"};
  protocol.parameters.initial_max_data = DataSize::Bytes(77777);
  protocol.parameters.initial_max_streams_bidi = 7;
  protocol.parameters.initial_max_streams_uni = 3;
  return protocol;
}

class TlsSessionTest : public testing::Test {
 protected:
  // Every one seals tickets with the same keys, as if nothing but its options had changed.
  void MakeServer(std::vector<ApplicationProtocol> protocols, KeyLog key_log = nullptr) {
    server_.reset();
    server_context_.reset();
    TlsServerOptions options{.protocols = std::move(protocols), .key_log = std::move(key_log)};
    server_context_ = *TlsServerContext::Create(
        std::move(options), *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key), now_,
        ticket_random_.emplace(1));
  }
  void MakeClient(std::vector<ApplicationProtocol> protocols) {
    client_context_ = *TlsClientContext::Create(
        {.protocols = std::move(protocols), .trusted_pem = root_.certificate});
  }

  // A handshake, as far as it goes.
  void Connect(Bytes ticket = {}, const std::string& name = "sluice.test") {
    bssl::UniquePtr<SSL> ssl = client_context_->NewSession(name, now_.us() / 1'000'000, ticket);
    TlsClientContext::GiveTicketsTo(ticket_, *ssl);
    client_ = BareConnection::Client(now_, std::move(ssl), client_context_->protocols(), random_);
    Answer();
  }
  // A client that says anything at all; with `own_id`, also who it is.
  void ConnectSaying(absl::Span<const uint8_t> block, bool own_id = false) {
    MakeStockClient();
    ParameterBytes all;
    all.AddRaw(block);
    if (own_id) all.Add(0x0f, client_->own_id());
    client_->Say(all.bytes());
    Answer();
  }
  void MakeStockClient() {
    stock_context_.reset(SSL_CTX_new(TLS_method()));
    ngtcp2_crypto_boringssl_configure_client_context(stock_context_.get());
    bssl::UniquePtr<SSL> ssl(SSL_new(stock_context_.get()));
    SSL_set_connect_state(ssl.get());
    const absl::Span<const uint8_t> offer = server_context_->protocols().offer();
    SSL_set_alpn_protos(ssl.get(), offer.data(), offer.size());
    client_ = BareConnection::StockClient(now_, std::move(ssl), {}, std::nullopt, random_);
  }
  void Answer() {
    const Bytes initial = client_->Write(now_);
    server_ = BareConnection::Server(now_, initial, server_context_->NewSession(now_),
                                     server_context_->protocols(), random_);
    ASSERT_NE(server_, nullptr);
    server_->Read(now_, initial);
    now_ = Exchange(*client_, *server_, now_);
  }
  // What a good client says, to be added to.
  ParameterBytes Good() {
    ParameterBytes block;
    block.Add(0x0f, Bytes());
    return block;
  }

  // The parameters that one side has on the wire from the other.
  static Bytes BlockFrom(BareConnection& receiver) {
    const uint8_t* block = nullptr;
    size_t size = 0;
    SSL_get_peer_quic_transport_params(&receiver.ssl(), &block, &size);
    return Bytes(block, block + size);
  }

  // What ngtcp2 keeps of the other side's parameters for next time.
  static Bytes RememberedBy(BareConnection& client) {
    Bytes out(1000);
    const ngtcp2_ssize size =
        ngtcp2_conn_encode_0rtt_transport_params(&client.conn(), out.data(), out.size());
    EXPECT_GT(size, 0);
    out.resize(size > 0 ? static_cast<size_t>(size) : 0);
    return out;
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(32)};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
  Timestamp now_ = Timestamp::Seconds(1'700'000'000);
  TestCertificate root_ = MakeTestRoot();
  TestCertificate leaf_ = MakeTestCertificate(root_);
  LastTicket ticket_;
  std::optional<SeededRandom> ticket_random_;
  std::unique_ptr<TlsServerContext> server_context_;
  std::unique_ptr<TlsClientContext> client_context_;
  bssl::UniquePtr<SSL_CTX> stock_context_;
  std::unique_ptr<BareConnection> client_;
  std::unique_ptr<BareConnection> server_;
};

TEST_F(TlsSessionTest, ClientAndServerComeTogether) {
  MakeServer({Signalling(), Http3()});
  MakeClient({Signalling()});
  Connect();
  EXPECT_TRUE(client_->completed());
  EXPECT_TRUE(server_->completed());
  EXPECT_EQ(server_->tls()->protocol()->protocol.name, "sluice/1");
  EXPECT_EQ(client_->tls()->protocol()->protocol.name, "sluice/1");
  EXPECT_FALSE(server_->tls()->resumed());
  server_->tls()->ShedHandshake();
}

TEST_F(TlsSessionTest, BothSayWhatTheyWereTold) {
  MakeServer({Signalling(), Http3()});
  MakeClient({Signalling()});
  Connect();
  for (BareConnection* receiver : {client_.get(), server_.get()}) {
    const bool from_server = receiver == client_.get();
    TransportParameterError error;
    const auto said = DecodeTransportParameters(
        BlockFrom(*receiver), from_server ? Endpoint::kServer : Endpoint::kClient, error);
    ASSERT_TRUE(said.has_value()) << absl::StrCat(error);
    EXPECT_EQ(EndpointParameters(*said), Signalling().parameters)
        << PrintTransportParameters(*said);
    EXPECT_TRUE(said->initial_source_connection_id.has_value());
    EXPECT_EQ(said->stateless_reset_token.has_value(), from_server);
    EXPECT_EQ(said->original_destination_connection_id.has_value(), from_server);
    EXPECT_FALSE(said->retry_source_connection_id.has_value());
    // ngtcp2 read the same as we did, and its own encoder would have said the same.
    BareConnection& sender = from_server ? *server_ : *client_;
    Bytes stock(1000);
    const ngtcp2_ssize size =
        ngtcp2_conn_encode_local_transport_params(&sender.conn(), stock.data(), stock.size());
    ASSERT_GT(size, 0);
    stock.resize(static_cast<size_t>(size));
    EXPECT_EQ(said, DecodeTransportParameters(
                        stock, from_server ? Endpoint::kServer : Endpoint::kClient, error));
  }
}

TEST_F(TlsSessionTest, EachSaysAReservedParameterToo) {
  MakeServer({Signalling()});
  MakeClient({Signalling()});
  Connect();
  for (BareConnection* receiver : {client_.get(), server_.get()}) {
    const Bytes block = BlockFrom(*receiver);
    const auto parameters = ParametersById(block);
    EXPECT_EQ(std::count_if(parameters.begin(), parameters.end(),
                            [](const auto& p) { return IsReservedParameterId(p.first); }),
              1);
  }
}

TEST_F(TlsSessionTest, TheProtocolDecidesWhatIsOffered) {
  MakeServer({Signalling(), Http3()});
  MakeClient({Http3()});
  Connect();
  ASSERT_TRUE(client_->completed());
  const ngtcp2_transport_params* seen = ngtcp2_conn_get_remote_transport_params(&client_->conn());
  EXPECT_EQ(seen->initial_max_data, 77777u);
  EXPECT_EQ(seen->initial_max_streams_bidi, 7u);
  EXPECT_EQ(seen->initial_max_streams_uni, 3u);
  EXPECT_EQ(seen->max_datagram_frame_size, 0u);
  EXPECT_EQ(server_->tls()->protocol()->protocol.name, "h3");
}

TEST_F(TlsSessionTest, NoCommonProtocolIsTheAlertForIt) {
  MakeServer({Signalling()});
  MakeClient({Http3()});
  Connect();
  EXPECT_EQ(client_->close_code_received(), CryptoError(SSL_AD_NO_APPLICATION_PROTOCOL));
  EXPECT_FALSE(server_->completed());
}

TEST_F(TlsSessionTest, NoProtocolAtAllIsTheSameAlert) {
  MakeServer({Signalling()});
  MakeStockClient();
  // BoringSSL does not leave the extension out; one that nobody knows stands in its place.
  BareConnection::ReplaceInNextInitial({0x00, 0x10, 0x00, 0x0b, 0x00, 0x09, 0x08},
                                       {0x1a, 0x1a, 0x00, 0x0b, 0x00, 0x09, 0x08});
  Answer();
  EXPECT_EQ(client_->close_code_received(), CryptoError(SSL_AD_NO_APPLICATION_PROTOCOL));
}

// Each is refused by name, whoever else would take it.
TEST_F(TlsSessionTest, WrongParametersAreTransportParameterErrors) {
  struct Case {
    absl::string_view what;
    uint64_t id;
    Bytes value;
  };
  const Bytes token(16, 7);
  Bytes preferred(4 + 2 + 16 + 2, 9);
  preferred.push_back(4);
  preferred.insert(preferred.end(), 4 + 16, 3);
  const Case kCases[] = {
      {"original_destination_connection_id (0): server_only", 0x00, Bytes{1}},
      {"stateless_reset_token (0x2): server_only", 0x02, token},
      {"preferred_address (0xd): server_only", 0x0d, preferred},
      {"retry_source_connection_id (0x10): server_only", 0x10, Bytes{1}},
      {"max_udp_payload_size (0x3): out_of_range", 0x03, Bytes{0x44, 0xaf}},
      {"ack_delay_exponent (0xa): out_of_range", 0x0a, Bytes{21}},
      {"max_ack_delay (0xb): out_of_range", 0x0b, Bytes{0x80, 0, 0x40, 0}},
      {"active_connection_id_limit (0xe): out_of_range", 0x0e, Bytes{1}},
      {"initial_source_connection_id (0xf): duplicate", 0x0f, Bytes()},
      {"disable_active_migration (0xc): wrong_length", 0x0c, Bytes{1}},
  };
  MakeServer({Signalling()});
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    ParameterBytes block = Good();
    block.Add(c.id, c.value);
    ConnectSaying(block);
    ASSERT_TRUE(server_->tls()->parameter_error().has_value());
    EXPECT_EQ(absl::StrCat(*server_->tls()->parameter_error()), c.what);
    EXPECT_EQ(client_->close_code_received(), 0x08u);
    EXPECT_FALSE(server_->completed());
  }
}

TEST_F(TlsSessionTest, UnknownParametersMayNotComeTwiceEither) {
  MakeServer({Signalling()});
  ParameterBytes block = Good();
  block.Add(0x3127, Bytes{1});
  block.Add(0x01, Bytes{9});
  block.Add(0x3127, Bytes{2});
  ConnectSaying(block);
  EXPECT_EQ(client_->close_code_received(), 0x08u);
  EXPECT_EQ(absl::StrCat(*server_->tls()->parameter_error()), "unknown (0x3127): duplicate");
}

// What only ngtcp2 can see: the connection id is not that of the packets.
TEST_F(TlsSessionTest, AForeignConnectionIdIsATransportParameterError) {
  MakeServer({Signalling()});
  ConnectSaying(Good());
  EXPECT_EQ(client_->close_code_received(), 0x08u);
  EXPECT_FALSE(server_->tls()->parameter_error().has_value());
  EXPECT_EQ(server_->error(), NGTCP2_ERR_TRANSPORT_PARAM);
}

// BoringSSL has no other way of leaving the extension out.
TEST_F(TlsSessionTest, NoParametersAtAllIsTheAlertForIt) {
  MakeServer({Signalling()});
  MakeStockClient();
  SSL_set_quic_use_legacy_codepoint(&client_->ssl(), 1);
  Answer();
  EXPECT_EQ(client_->close_code_received(), CryptoError(SSL_AD_MISSING_EXTENSION));
}

TEST_F(TlsSessionTest, AClientHelloMayTakeSeveralDatagrams) {
  MakeServer({Signalling()});
  ParameterBytes block;
  block.Add(27, Bytes(3000));
  ConnectSaying(block, /*own_id=*/true);
  EXPECT_TRUE(server_->completed());
}

TEST_F(TlsSessionTest, AnEndlessIdleTimeoutIsEndless) {
  MakeServer({Signalling()});
  for (const uint64_t milliseconds : {uint64_t{1} << 61, uint64_t{18446744073710}}) {
    ParameterBytes block;
    block.AddNumber(0x01, milliseconds);
    ConnectSaying(block, /*own_id=*/true);
    ASSERT_TRUE(server_->completed());
    EXPECT_EQ(ngtcp2_conn_get_remote_transport_params(&server_->conn())->max_idle_timeout, 0u);
  }
}

TEST_F(TlsSessionTest, MissingSourceConnectionIdIsATransportParameterError) {
  MakeServer({Signalling()});
  ParameterBytes block;
  block.Add(0x01, Bytes{9});
  ConnectSaying(block);
  EXPECT_EQ(client_->close_code_received(), 0x08u);
  EXPECT_EQ(absl::StrCat(*server_->tls()->parameter_error()),
            "initial_source_connection_id (0xf): missing");
}

TEST_F(TlsSessionTest, ATicketBringsTheClientBackAndIsRefusedWhenItsKeyIsGone) {
  MakeServer({Signalling()});
  MakeClient({Signalling()});
  Connect();
  const Bytes ticket = ticket_.bytes;
  ASSERT_FALSE(ticket.empty());
  now_ += TimeDelta::Minutes(12 * 60);
  Connect(ticket);
  EXPECT_TRUE(server_->completed());
  EXPECT_TRUE(server_->tls()->resumed());
  EXPECT_TRUE(client_->tls()->resumed());
  now_ += TimeDelta::Minutes(12 * 60);
  Connect(ticket);
  EXPECT_TRUE(server_->completed());
  EXPECT_FALSE(server_->tls()->resumed());
}

TEST_F(TlsSessionTest, ATicketThatIsNoneIsAFullHandshake) {
  MakeServer({Signalling()});
  MakeClient({Signalling()});
  Connect(Bytes{1, 2, 3});
  EXPECT_TRUE(server_->completed());
  EXPECT_FALSE(server_->tls()->resumed());
}

TEST_F(TlsSessionTest, EarlyDataIsOffUnlessItIsAskedFor) {
  MakeServer({Signalling()});
  MakeClient({Signalling()});
  Connect();
  Connect(ticket_.bytes);
  EXPECT_TRUE(client_->tls()->resumed());
  EXPECT_FALSE(client_->tls()->may_send_early_data());
  EXPECT_FALSE(server_->tls()->early_data_accepted());
}

TEST_F(TlsSessionTest, EarlyDataIsAcceptedWhileNothingChanged) {
  ApplicationProtocol protocol = Signalling();
  protocol.early_data = true;
  MakeServer({protocol});
  MakeClient({protocol});
  Connect();
  const Bytes ticket = ticket_.bytes;
  Connect(ticket);
  EXPECT_TRUE(server_->completed());
  EXPECT_TRUE(server_->tls()->early_data_accepted());
}

// RFC 9000 section 12.5.
TEST_F(TlsSessionTest, TlsIsNotSpokenInEarlyData) {
  ApplicationProtocol protocol = Signalling();
  protocol.early_data = true;
  MakeServer({protocol});
  MakeClient({protocol});
  Connect();
  const Bytes remembered = RememberedBy(*client_);
  bssl::UniquePtr<SSL> ssl =
      client_context_->NewSession("sluice.test", now_.us() / 1'000'000, ticket_.bytes);
  client_ = BareConnection::Client(now_, std::move(ssl), client_context_->protocols(), random_);
  ASSERT_EQ(ngtcp2_conn_decode_and_set_0rtt_transport_params(&client_->conn(), remembered.data(),
                                                             remembered.size()),
            0);
  BareConnection::InjectNext(BareConnection::Kind::kZeroRtt, Bytes{0x06, 0, 1, 0});
  std::vector<Bytes> flight = {client_->Write(now_)};
  // ngtcp2 paces what it sends.
  now_ += TimeDelta::Millis(10);
  flight.push_back(client_->WriteStream(now_, 200));
  EXPECT_TRUE(BareConnection::injected());
  server_ = BareConnection::Server(now_, flight[0], server_context_->NewSession(now_),
                                   server_context_->protocols(), random_);
  ASSERT_NE(server_, nullptr);
  for (const Bytes& datagram : flight) server_->Read(now_, datagram);
  Exchange(*client_, *server_, now_);
  EXPECT_EQ(client_->close_code_received(), 0x0au);
}

// RFC 9000 section 7.4.1.
TEST_F(TlsSessionTest, LowerLimitsRejectEarlyDataAndNotTheClient) {
  ApplicationProtocol before = Signalling();
  before.early_data = true;
  MakeServer({before});
  MakeClient({before});
  Connect();
  const Bytes ticket = ticket_.bytes;
  ApplicationProtocol after = before;
  after.parameters.initial_max_streams_bidi = 1;
  MakeServer({after});
  Connect(ticket);
  EXPECT_TRUE(server_->completed());
  EXPECT_TRUE(server_->tls()->resumed());
  EXPECT_FALSE(server_->tls()->early_data_accepted());
}

TEST_F(TlsSessionTest, CertificatesAreExchangedBetweenHandshakes) {
  MakeServer({Signalling()});
  MakeClient({Signalling()});
  const TestCertificate other = MakeTestCertificate(root_, "other.test");
  ASSERT_EQ(server_context_->certificates().Replace(other.certificate, other.private_key),
            absl::OkStatus());
  Connect();
  EXPECT_EQ(server_->close_code_received(), CryptoError(SSL_AD_BAD_CERTIFICATE));
  Connect({}, "other.test");
  EXPECT_TRUE(server_->completed());
}

TEST_F(TlsSessionTest, AddressesAreComparedWithAddressesOnly) {
  for (const char* address : {"192.0.2.7", "2001:db8::7"}) {
    leaf_ = MakeTestCertificate(root_, address);
    MakeServer({Signalling()});
    MakeClient({Signalling()});
    Connect({}, address);
    EXPECT_TRUE(server_->completed()) << address;
    for (const char* other : {"192.0.2.8", "2001:db8::8", "sluice.test"}) {
      Connect({}, other);
      EXPECT_EQ(server_->close_code_received(), CryptoError(SSL_AD_BAD_CERTIFICATE)) << other;
    }
  }
  leaf_ = MakeTestCertificate(root_);
  MakeServer({Signalling()});
  Connect({}, "192.0.2.7");
  EXPECT_EQ(server_->close_code_received(), CryptoError(SSL_AD_BAD_CERTIFICATE));
}

TEST_F(TlsSessionTest, AnUnknownRootIsNotTrusted) {
  MakeServer({Signalling()});
  root_ = MakeTestRoot();
  MakeClient({Signalling()});
  Connect();
  EXPECT_FALSE(server_->completed());
  ASSERT_TRUE(server_->close_code_received().has_value());
  EXPECT_GE(*server_->close_code_received(), 0x100u);
}

TEST_F(TlsSessionTest, KeysAreLoggedOnlyWhereALogIsGiven) {
  std::vector<std::string> lines;
  MakeServer({Signalling()}, [&](absl::string_view line) { lines.emplace_back(line); });
  MakeClient({Signalling()});
  Connect();
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("SERVER_TRAFFIC_SECRET_0 ");
  }));
  lines.clear();
  MakeServer({Signalling()});
  Connect();
  EXPECT_TRUE(lines.empty());
}

}  // namespace
}  // namespace sluice

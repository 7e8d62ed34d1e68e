#ifndef QUIC_CONNECTION_TESTING_CONNECTION_PAIR_H_
#define QUIC_CONNECTION_TESTING_CONNECTION_PAIR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/data_size.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/testing/test_peer.h"
#include "quic/connection/testing/virtual_link.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// A protocol with small limits, named "test".
inline ApplicationProtocol TestProtocol() {
  ApplicationProtocol protocol{.name = "test"};
  protocol.parameters.max_idle_timeout = TimeDelta::Seconds(30);
  protocol.parameters.initial_max_data = DataSize::Bytes(256 * 1024);
  protocol.parameters.initial_max_stream_data_bidi_local = DataSize::Bytes(64 * 1024);
  protocol.parameters.initial_max_stream_data_bidi_remote = DataSize::Bytes(64 * 1024);
  protocol.parameters.initial_max_stream_data_uni = DataSize::Bytes(64 * 1024);
  protocol.parameters.initial_max_streams_bidi = 8;
  protocol.parameters.initial_max_streams_uni = 8;
  protocol.parameters.active_connection_id_limit = 4;
  return protocol;
}

inline std::vector<uint8_t> Text(absl::string_view text) { return {text.begin(), text.end()}; }

// A fixture: a client and a server that speak "test", and what is between them.
class ConnectionPair : public testing::Test {
 protected:
  using Bytes = std::vector<uint8_t>;

  ConnectionPair() { Configure(TestProtocol(), TestProtocol()); }

  void Configure(const ApplicationProtocol& server, const ApplicationProtocol& client) {
    client_.Restart();
    server_.Restart();
    client_tls_ =
        *TlsClientContext::Create({.protocols = {client}, .trusted_pem = root_.certificate});
    server_tls_ = *TlsServerContext::Create(
        {.protocols = {server}}, *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key),
        link_.now, ticket_random_.emplace(1));
  }

  static LinkEnd End(TestPeer& peer) {
    return {
        .receive =
            [&peer](Timestamp now, const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> bytes) {
              if (peer.connection != nullptr) {
                peer.connection->HandleDatagram(now, path, ecn, bytes, peer.out);
              }
            },
        .timeout = [&peer](Timestamp now) { peer.connection->HandleTimeout(now, peer.out); },
        .next_timeout =
            [&peer] {
              return peer.connection != nullptr ? peer.connection->NextTimeout()
                                                : Timestamp::PlusInfinity();
            },
        .out = &peer.out};
  }

  // A server that answers the first datagram that is one.
  LinkEnd ServerEnd() {
    LinkEnd end = End(server_);
    end.receive = [this](Timestamp now, const UdpPath& path, Ecn ecn,
                         absl::Span<const uint8_t> bytes) {
      if (server_.connection == nullptr && !server_.Accept(now, path, bytes, *server_tls_)) return;
      server_.connection->HandleDatagram(now, path, ecn, bytes, server_.out);
    };
    return end;
  }

  void Start(OutgoingConnection outgoing = {}) {
    server_.Restart();
    if (outgoing.server_name.empty()) outgoing.server_name = "sluice.test";
    client_.Connect(link_.now, {client_address_, server_address_}, outgoing, *client_tls_);
    Flush();
  }
  void Connect(OutgoingConnection outgoing = {}) {
    Start(std::move(outgoing));
    link_.RunFor(TimeDelta::Seconds(5), [this] { return client_.connected && server_.connected; });
    link_.RunFor(TimeDelta::Millis(200));
  }
  void Flush() {
    for (TestPeer* peer : {&client_, &server_}) {
      if (peer->connection != nullptr) peer->connection->Flush(link_.now, peer->out);
    }
  }
  OutgoingConnection Resumption() {
    return {.ticket = client_.ticket, .remembered_parameters = client_.remembered};
  }
  Bytes Random(size_t size) {
    Bytes bytes(size);
    random_.Fill(absl::MakeSpan(bytes));
    return bytes;
  }
  // Writes all of `bytes` as room comes, and the fin, and lets it arrive.
  void Transfer(TestPeer& from, TestPeer& to, StreamId id, const Bytes& bytes) {
    size_t written = 0;
    bool finished = false;
    const Timestamp end = link_.now + TimeDelta::Seconds(120);
    while (link_.now < end && !to.streams[id].fin) {
      if (!finished) {
        written += from.connection->Write(id, absl::MakeConstSpan(bytes).subspan(written), true);
        finished = written == bytes.size();
        from.connection->Flush(link_.now, from.out);
      }
      link_.RunFor(TimeDelta::Millis(5));
    }
    EXPECT_EQ(to.streams[id].data, bytes);
  }

  const UdpAddress client_address_ = UdpAddress::V4({10, 0, 0, 1}, 4000);
  const UdpAddress server_address_ = UdpAddress::V4({192, 0, 2, 99}, 443);
  SeededRandom random_{SeededRandom::SeedFromEnvOr(50)};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
  TestCertificate root_ = MakeTestRoot();
  TestCertificate leaf_ = MakeTestCertificate(root_);
  std::optional<SeededRandom> ticket_random_;
  std::unique_ptr<TlsClientContext> client_tls_;
  std::unique_ptr<TlsServerContext> server_tls_;
  TestPeer client_{random_};
  TestPeer server_{random_};
  VirtualLink link_{End(client_), ServerEnd(), random_};
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_TESTING_CONNECTION_PAIR_H_

#include "quic/server/testing/endpoint_world.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/data_size.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {
namespace {

ApplicationProtocol EchoProtocol() {
  ApplicationProtocol protocol{.name = "echo"};
  protocol.parameters.max_idle_timeout = TimeDelta::Seconds(30);
  protocol.parameters.initial_max_data = DataSize::Bytes(256 * 1024);
  protocol.parameters.initial_max_stream_data_bidi_local = DataSize::Bytes(64 * 1024);
  protocol.parameters.initial_max_stream_data_bidi_remote = DataSize::Bytes(64 * 1024);
  protocol.parameters.initial_max_streams_bidi = 8;
  protocol.parameters.active_connection_id_limit = 4;
  return protocol;
}

}  // namespace

class EndpointWorld::Echo : public ConnectionHandler {
 public:
  Echo(EndpointWorld& world, QuicConnection& connection) : world_(world), connection_(connection) {}
  void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool) override {
    connection_.Consume(id, data.size());
    SLUICE_CHECK(connection_.Write(id, data, fin) == data.size());
  }
  void OnClosed(const CloseReason& reason) override { world_.closed.push_back(reason); }

 private:
  EndpointWorld& world_;
  QuicConnection& connection_;
};

EndpointWorld::EndpointWorld(EndpointOptions options, uint64_t seed)
    : random(SeededRandom::SeedFromEnvOr(seed)) {
  server_tls_ = *TlsServerContext::Create(
      {.protocols = {EchoProtocol()}},
      *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key), now, random);
  client_tls_ =
      *TlsClientContext::Create({.protocols = {EchoProtocol()}, .trusted_pem = root_.certificate});
  Restart(options);
}

EndpointWorld::~EndpointWorld() = default;

void EndpointWorld::Restart(const EndpointOptions& options, uint8_t secret) {
  const absl::Status status = TryRestart(options, secret);
  SLUICE_CHECK(status.ok()) << status;
}

absl::Status EndpointWorld::TryRestart(const EndpointOptions& options, uint8_t secret_byte) {
  StatelessReset::Secret secret;
  secret.mutable_span()[0] = secret_byte;
  endpoint.reset();
  auto made = QuicEndpoint::Create(now, options, std::move(secret), *server_tls_, *this, random);
  if (made.ok()) endpoint = *std::move(made);
  return made.status();
}

ConnectionHandler* EndpointWorld::OnConnection(QuicConnection& connection) {
  if (application != nullptr) return application->OnConnection(connection);
  echoes_.push_back(std::make_unique<Echo>(*this, connection));
  return echoes_.back().get();
}

EndpointWorld::Client& EndpointWorld::Connect(const UdpAddress& address,
                                              OutgoingConnection outgoing) {
  clients.push_back(std::make_unique<Client>(random, client_limits));
  Client& client = *clients.back();
  client.seen_as = address;
  outgoing.server_name = "sluice.test";
  client.peer.Connect(now, {address, server_address}, outgoing, *client_tls_);
  client.peer.connection->Flush(now, client.peer.out);
  return client;
}

std::vector<uint8_t> EndpointWorld::FirstDatagram(const UdpAddress& address) {
  const Client& client = Connect(address);
  const absl::Span<const uint8_t> bytes = client.peer.out.datagrams()[0].bytes;
  std::vector<uint8_t> datagram(bytes.begin(), bytes.end());
  clients.pop_back();
  return datagram;
}

EndpointResult EndpointWorld::Give(const UdpAddress& from, absl::Span<const uint8_t> datagram) {
  if (!out_.has_value()) out_.emplace(outbox_size);
  answers_.clear();
  bytes_received += datagram.size();
  BeginTurn();
  const EndpointResult result =
      endpoint->HandleDatagram(now, {server_address, from}, Ecn::kNotEct, datagram, *out_);
  for (const auto& answer : out_->datagrams()) {
    answers_.emplace_back(answer.bytes.begin(), answer.bytes.end());
  }
  CarryToClients();
  if (makes_turns) EndTurn();
  return result;
}

void EndpointWorld::BeginTurn() {
  if (application != nullptr) application->BeginTurn(now);
}

void EndpointWorld::EndTurn() {
  if (application == nullptr) return;
  if (!out_.has_value()) out_.emplace(outbox_size);
  application->EndTurn({now, *endpoint, *out_});
  CarryToClients();
}

bool EndpointWorld::TurnIsDue() const {
  return endpoint->NextTimeout() <= now ||
         (application != nullptr && makes_turns && application->NextTimeout() <= now);
}

void EndpointWorld::CarryToServer(Client& client) {
  std::vector<std::vector<uint8_t>> sent;
  for (const auto& datagram : client.peer.out.datagrams()) {
    sent.emplace_back(datagram.bytes.begin(), datagram.bytes.end());
  }
  client.peer.out.Clear();
  for (const auto& datagram : sent) Give(client.seen_as, datagram);
}

void EndpointWorld::CarryToClients() {
  for (const auto& datagram : out_->datagrams()) {
    bytes_sent += datagram.bytes.size();
    for (const auto& client : clients) {
      if (client->seen_as != datagram.path.remote || client->peer.connection == nullptr) continue;
      client->peer.connection->HandleDatagram(
          now, {client->peer.connection->path().local, server_address}, datagram.ecn,
          datagram.bytes, client->peer.out);
    }
  }
  out_->Clear();
}

void EndpointWorld::Run(TimeDelta time) {
  if (!out_.has_value()) out_.emplace(outbox_size);
  const Timestamp end = now + time;
  while (true) {
    for (const auto& client : clients) {
      TestPeer& peer = client->peer;
      if (peer.connection == nullptr) continue;
      if (peer.connection->NextTimeout() <= now) peer.connection->HandleTimeout(now, peer.out);
      CarryToServer(*client);
    }
    while (TurnIsDue()) {
      BeginTurn();
      endpoint->HandleTimeouts(now, *out_);
      CarryToClients();
      if (makes_turns) EndTurn();
    }
    if (now >= end) return;
    now += TimeDelta::Millis(1);
  }
}

bool EndpointWorld::Echoes(Client& client, size_t size) {
  const std::optional<StreamId> id = client.peer.connection->OpenBidirectional();
  if (!id.has_value()) return false;
  std::vector<uint8_t> bytes(size);
  random.Fill(absl::MakeSpan(bytes));
  if (client.peer.connection->Write(*id, bytes, true) != size) return false;
  client.peer.connection->Flush(now, client.peer.out);
  Run(TimeDelta::Millis(100));
  return client.peer.streams[*id].fin && client.peer.streams[*id].data == bytes;
}

}  // namespace sluice

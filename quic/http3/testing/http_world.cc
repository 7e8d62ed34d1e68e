#include "quic/http3/testing/http_world.h"

#include <nghttp3/nghttp3.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/udp_path.h"
#include "quic/http3/http_protocol.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"

namespace sluice {
namespace {

const UdpAddress kClient = UdpAddress::V4({10, 0, 0, 1}, 4000);
const UdpAddress kServer = UdpAddress::V4({192, 0, 2, 99}, 443);

// Enough for a few connections with all of their requests.
constexpr EndpointLimits kEndpointLimits = {.max_connections = 64,
                                            .max_connections_per_source = 64,
                                            .max_half_open = 64,
                                            .retry_above_half_open = 64,
                                            .retry_above_half_open_per_source = 64,
                                            .send_streams = 512,
                                            .send_blocks = 2048};

std::string TextOf(nghttp3_rcbuf* buffer) {
  const nghttp3_vec bytes = nghttp3_rcbuf_get_buf(buffer);
  return {bytes.base, bytes.base + bytes.len};
}

ApplicationProtocol ClientProtocol() {
  ApplicationProtocol protocol = HttpServerProtocol({});
  protocol.parameters.initial_max_stream_data_bidi_local =
      protocol.parameters.initial_max_stream_data_bidi_remote;
  protocol.early_data = true;
  return protocol;
}

nghttp3_callbacks ReaderCallbacks() {
  nghttp3_callbacks callbacks{};
  callbacks.recv_header = [](nghttp3_conn*, int64_t, int32_t, nghttp3_rcbuf* name,
                             nghttp3_rcbuf* value, uint8_t, void*, void* answer) {
    static_cast<HttpWorld::Answer*>(answer)->fields[TextOf(name)] = TextOf(value);
    return 0;
  };
  callbacks.recv_data = [](nghttp3_conn*, int64_t, const uint8_t* data, size_t size, void*,
                           void* answer) {
    static_cast<HttpWorld::Answer*>(answer)->body.append(data, data + size);
    return 0;
  };
  callbacks.end_stream = [](nghttp3_conn*, int64_t, void*, void* answer) {
    static_cast<HttpWorld::Answer*>(answer)->finished = true;
    return 0;
  };
  return callbacks;
}

}  // namespace

HttpWorld::HttpWorld(uint64_t seed, const HttpLimits& limits, bool early_data)
    : random(SeededRandom::SeedFromEnvOr(seed)),
      client(random),
      limits_(limits),
      link(ClientEnd(), ServerEnd(), random) {
  client_tls_ = *TlsClientContext::Create(
      {.protocols = {ClientProtocol()}, .trusted_pem = root_.certificate});
  ApplicationProtocol protocol = HttpServerProtocol(limits);
  protocol.early_data = early_data;
  server_tls_ = *TlsServerContext::Create(
      {.protocols = {protocol}}, *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key),
      link.now, ticket_random_);
  auto made = QuicEndpoint::Create(link.now, {.limits = kEndpointLimits}, StatelessReset::Secret(),
                                   *server_tls_, *this, random);
  SLUICE_CHECK(made.ok()) << made.status();
  endpoint = *std::move(made);
  client.on_data = [this](StreamId id) { ReadAnswers(id); };
}

HttpWorld::~HttpWorld() {
  // Before the contexts of TLS.
  client.Restart();
  endpoint.reset();
  nghttp3_conn_del(reader_);
}

void HttpWorld::StartClient(bool resume) {
  OutgoingConnection outgoing{.server_name = "sluice.test"};
  if (resume) {
    outgoing.ticket = client.ticket;
    outgoing.remembered_parameters = client.remembered;
  }
  // What is left of the last connection goes nowhere.
  link.client_seen_as = UdpAddress::V4(client_ip, ++client_port_);
  answers_.clear();
  read_.clear();
  nghttp3_conn_del(std::exchange(reader_, nullptr));
  const nghttp3_callbacks callbacks = ReaderCallbacks();
  nghttp3_settings settings;
  nghttp3_settings_default(&settings);
  SLUICE_CHECK(
      nghttp3_conn_client_new(&reader_, &callbacks, &settings, nghttp3_mem_default(), this) == 0);
  // Never sent: what it would say a test says.
  SLUICE_CHECK(nghttp3_conn_bind_qpack_streams(reader_, 402, 406) == 0);
  client.Connect(link.now, {kClient, kServer}, outgoing, *client_tls_);
  client.connection->Flush(link.now, client.out);
}

void HttpWorld::Connect(bool control) {
  StartClient();
  link.RunFor(TimeDelta::Seconds(5), [this] { return client.connected && !client.ticket.empty(); });
  SLUICE_CHECK(client.connected);
  link.RunFor(TimeDelta::Millis(200));
  if (!control) return;
  OpenUnidirectional(std::vector<uint8_t>{0x00, 0x04, 0x00});
  OpenUnidirectional(std::vector<uint8_t>{0x02});
  OpenUnidirectional(std::vector<uint8_t>{0x03});
  link.RunFor(TimeDelta::Millis(100));
}

void HttpWorld::Write(StreamId id, absl::Span<const uint8_t> bytes, bool fin) {
  SLUICE_CHECK(client.connection->Write(id, bytes, fin) == bytes.size());
  client.connection->Flush(link.now, client.out);
}

StreamId HttpWorld::Open(absl::Span<const uint8_t> bytes, bool fin, bool is_head) {
  const std::optional<StreamId> id = client.connection->OpenBidirectional();
  SLUICE_CHECK(id.has_value());
  // So that nghttp3 expects an answer there.
  std::string name = ":method";
  std::string value = is_head ? "HEAD" : "GET";
  const nghttp3_nv field = {.name = reinterpret_cast<uint8_t*>(name.data()),
                            .value = reinterpret_cast<uint8_t*>(value.data()),
                            .namelen = name.size(),
                            .valuelen = value.size(),
                            .flags = 0};
  const int error = nghttp3_conn_submit_request(reader_, *id, &field, 1, nullptr, &answers_[*id]);
  // A client that was told to go may ask all the same.
  SLUICE_CHECK(error == 0 || error == NGHTTP3_ERR_CONN_CLOSING);
  Write(*id, bytes, fin);
  return *id;
}

StreamId HttpWorld::OpenUnidirectional(absl::Span<const uint8_t> bytes, bool fin) {
  const std::optional<StreamId> id = client.connection->OpenUnidirectional();
  SLUICE_CHECK(id.has_value());
  Write(*id, bytes, fin);
  return *id;
}

StreamId HttpWorld::Ask(absl::string_view method, absl::string_view path, absl::string_view body,
                        const HttpFields& more) {
  return Open(HttpRequestBytes(method, path, body, more), true, method == "HEAD");
}

void HttpWorld::ReadAnswers(StreamId id) {
  const TestPeer::Stream& stream = client.streams[id];
  const absl::Span<const uint8_t> bytes = absl::MakeConstSpan(stream.data).subspan(read_[id]);
  read_[id] = stream.data.size();
  // Control and QPACK streams of the server as well: it must not break a rule either.
  const nghttp3_ssize result =
      nghttp3_conn_read_stream(reader_, id, bytes.data(), bytes.size(), stream.fin ? 1 : 0);
  SLUICE_CHECK(result >= 0) << "on stream " << id << ": "
                            << nghttp3_strerror(static_cast<int>(result));
}

const HttpWorld::Answer& HttpWorld::answer(StreamId id) {
  answers_[id].reset = client.streams[id].reset;
  return answers_[id];
}

bool HttpWorld::RunUntilOver(StreamId id, TimeDelta time) {
  link.RunFor(time, [&] { return answer(id).over(); });
  return answer(id).over();
}

std::optional<uint64_t> HttpWorld::CodeOfEnd() {
  link.RunFor(TimeDelta::Seconds(2), [this] { return client.closed.has_value(); });
  if (!client.closed.has_value()) return std::nullopt;
  SLUICE_CHECK(client.closed->cause == CloseCause::kRemoteApplication)
      << absl::StrCat(*client.closed);
  return client.closed->code;
}

ConnectionHandler* HttpWorld::OnConnection(QuicConnection& connection) {
  SLUICE_CHECK(connection.protocol() == kHttpProtocolName);
  if (application != nullptr) return application->OnConnection(connection);
  servers.push_back(std::make_unique<HttpServerConnection>(
      HttpServerResources{server_now_, service, buffers, limits_}, connection));
  return servers.back().get();
}

void HttpWorld::SettleServer() {
  for (const auto& server : servers) {
    if (server->TakeUnsent()) endpoint->Flush(server_now_, *server->connection(), server_out);
    if (server->connection() != nullptr && server->failure().has_value()) {
      endpoint->Close(server_now_, *server->connection(), *server->failure(), server_out);
    }
  }
}

LinkEnd HttpWorld::ClientEnd() {
  return {.receive =
              [this](Timestamp now, const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> bytes) {
                if (client.connection == nullptr) return;
                client.connection->HandleDatagram(now, path, ecn, bytes, client.out);
              },
          .timeout = [this](Timestamp now) { client.connection->HandleTimeout(now, client.out); },
          .next_timeout =
              [this] {
                return client.connection != nullptr ? client.connection->NextTimeout()
                                                    : Timestamp::PlusInfinity();
              },
          .out = &client.out};
}

LinkEnd HttpWorld::ServerEnd() {
  return {.receive =
              [this](Timestamp now, const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> bytes) {
                BeginTurn(now);
                endpoint->HandleDatagram(now, path, ecn, bytes, server_out);
                EndTurn();
              },
          .timeout =
              [this](Timestamp now) {
                BeginTurn(now);
                endpoint->HandleTimeouts(now, server_out);
                for (const auto& server : servers) server->HandleTimeout(now);
                EndTurn();
              },
          .next_timeout = [this] { return NextServerTimeout(); },
          .out = &server_out};
}

void HttpWorld::BeginTurn(Timestamp now) {
  server_now_ = now;
  if (application != nullptr) application->BeginTurn(now);
}

void HttpWorld::EndTurn() {
  if (application != nullptr) return application->EndTurn({server_now_, *endpoint, server_out});
  SettleServer();
}

Timestamp HttpWorld::NextServerTimeout() const {
  Timestamp next = endpoint->NextTimeout();
  if (application != nullptr) next = std::min(next, application->NextTimeout());
  for (const auto& server : servers) next = std::min(next, server->NextTimeout());
  return next;
}

}  // namespace sluice

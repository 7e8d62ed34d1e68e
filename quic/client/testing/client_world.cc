#include "quic/client/testing/client_world.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"

namespace sluice {
namespace {

constexpr UdpAddress kClientAddress = UdpAddress::V4({10, 0, 0, 1}, 4000);

EndpointLimits LimitsOf(bool retry) {
  const uint32_t above = retry ? 0 : 16;
  return {.max_connections = 16,
          .max_connections_per_source = 16,
          .max_half_open = 16,
          .retry_above_half_open = above,
          .retry_above_half_open_per_source = above,
          .send_streams = 256,
          .send_blocks = 2048};
}

}  // namespace

const UdpPath ClientWorld::kServer = {kClientAddress, UdpAddress::V4({192, 0, 2, 99}, 443)};
const UdpPath ClientWorld::kNobody = {kClientAddress, UdpAddress::V4({192, 0, 2, 98}, 443)};

ClientWorld::ClientWorld(uint64_t seed)
    : random(SeededRandom::SeedFromEnvOr(seed)), link(ClientEnd(), ServerEnd(), random) {
  link.delay = kRoundTrip / 2;
  client_tls = *TlsClientContext::Create(
      {.protocols = {RpcClientProtocol()}, .trusted_pem = root.certificate});
  StartServer(/*retry=*/false);
}

ClientWorld::~ClientWorld() {
  // Before the contexts of TLS.
  client.reset();
  endpoint.reset();
  served.reset();
}

void ClientWorld::StartServer(bool retry, const RpcLimits& limits) {
  endpoint.reset();
  served.reset();
  service.waiting.clear();
  const EndpointLimits endpoint_limits = LimitsOf(retry);
  protocol = std::make_unique<RpcProtocolServer>(server_now_, service, buffers, limits);
  served = std::make_unique<ServedConnections>(
      ServedConnections::Options{.capacity = endpoint_limits.max_connections,
                                 .protocols = {protocol.get()}},
      server_now_);
  ApplicationProtocol spoken = RpcServerProtocol(limits);
  spoken.early_data = true;
  server_tls_ = *TlsServerContext::Create(
      {.protocols = {spoken}}, *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key),
      link.now, ticket_random_.emplace(1));
  auto made = QuicEndpoint::Create(link.now, {.limits = endpoint_limits}, StatelessReset::Secret(),
                                   *server_tls_, *served, random);
  SLUICE_CHECK(made.ok()) << made.status();
  endpoint = *std::move(made);
}

void ClientWorld::CloseServer() {
  served->BeginTurn(link.now);
  SLUICE_CHECK(served->CloseSome(ServerTurn()));
}

void ClientWorld::StartClient(std::vector<UdpPath> paths, bool resume) {
  client.reset();
  client_out.Clear();
  answers.clear();
  connected = 0;
  ended.reset();
  // What is left of the last connection goes nowhere.
  link.client_seen_as = UdpAddress::V4({192, 0, 2, 1}, ++client_port_);
  ClientSessionOptions options = {
      .paths = std::move(paths), .server_name = server_name, .server = "gw"};
  if (resume) options.memory = memory;
  options.limits = client_limits;
  client = std::make_unique<ClientSession>(std::move(options), *client_tls, random, *this);
}

ClientCallId ClientWorld::Call(const char* method, RpcReplay replay, TimeDelta timeout) {
  const ClientCallId id = ++last_call_;
  client->Call(link.now, id,
               {.method = method, .message = "hello", .timeout = timeout, .replay = replay});
  return id;
}

void ClientWorld::RunUntilConnected() {
  link.RunFor(TimeDelta::Seconds(30), [this] { return connected > 0; });
  SLUICE_CHECK(connected > 0);
}

CallEnd ClientWorld::RunUntilOver(ClientCallId id) {
  link.RunFor(TimeDelta::Seconds(30), [&] { return answers[id].end.has_value(); });
  SLUICE_CHECK(answers[id].end.has_value());
  return *answers[id].end;
}

LinkEnd ClientWorld::ClientEnd() {
  return {
      .receive =
          [this](Timestamp now, const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> bytes) {
            if (client != nullptr) client->HandleDatagram(now, path, ecn, bytes, client_out);
          },
      .timeout = [this](Timestamp now) { client->HandleTimeout(now, client_out); },
      .next_timeout =
          [this] { return client != nullptr ? client->NextTimeout() : Timestamp::PlusInfinity(); },
      .out = &client_out};
}

LinkEnd ClientWorld::ServerEnd() {
  return {
      .receive =
          [this](Timestamp now, const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> bytes) {
            // The link leads everywhere; only here somebody listens.
            if (path.local != kServer.remote) return;
            served->BeginTurn(now);
            endpoint->HandleDatagram(now, path, ecn, bytes, server_out);
            served->EndTurn(ServerTurn());
          },
      .timeout =
          [this](Timestamp now) {
            served->BeginTurn(now);
            endpoint->HandleTimeouts(now, server_out);
            served->EndTurn(ServerTurn());
          },
      .next_timeout = [this] { return std::min(endpoint->NextTimeout(), served->NextTimeout()); },
      .out = &server_out};
}

void ClientWorld::OnMessage(ClientCallId id, absl::Span<const uint8_t> message) {
  answers[id].messages.emplace_back(message.begin(), message.end());
}

void ClientWorld::OnCallEnd(ClientCallId id, const CallEnd& end) {
  SLUICE_CHECK(!answers[id].end.has_value());
  answers[id].end = end;
  if (cancelled_at_end.has_value()) client->Cancel(*cancelled_at_end);
}

void ClientWorld::OnTicket(absl::Span<const uint8_t> ticket,
                           absl::Span<const uint8_t> remembered_parameters) {
  memory.ticket.assign(ticket.begin(), ticket.end());
  memory.remembered_parameters.assign(remembered_parameters.begin(), remembered_parameters.end());
}

void ClientWorld::OnToken(absl::Span<const uint8_t> token) {
  memory.token.assign(token.begin(), token.end());
}

void ClientWorld::OnEnd(const absl::Status& why) {
  SLUICE_CHECK(!ended.has_value());
  ended = why;
}

}  // namespace sluice

#include "quic/calls/testing/call_world.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/rpc/rpc_request_header.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"

namespace sluice {
namespace {

const UdpAddress kClient = UdpAddress::V4({10, 0, 0, 1}, 4000);
const UdpAddress kServer = UdpAddress::V4({192, 0, 2, 99}, 443);

// Enough for a few connections with all of their calls.
constexpr EndpointLimits kEndpointLimits = {.max_connections = 64,
                                            .max_connections_per_source = 64,
                                            .max_half_open = 64,
                                            .retry_above_half_open = 64,
                                            .retry_above_half_open_per_source = 64,
                                            .send_streams = 256,
                                            .send_blocks = 2048};

}  // namespace

// ---- The service. ----

void TestCallService::OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) {
  ++calls;
  if (request.early) ++early_calls;
  if (request.method == "Wait") {
    waiting.push_back(call);
  } else if (request.method == "Count") {
    left_[call.id()] = request.message.empty() ? 0 : request.message[0];
    Count(now, call);
  } else if (request.method == "Once" && request.early) {
    call.Finish(now, static_cast<RpcCode>(kRefusedEarly), "not as 0-RTT");
  } else {
    SLUICE_CHECK(call.Send(now, request.message) == RpcSendVerdict::kSent);
    call.Finish(now, RpcCode::kOk, "");
  }
}

void TestCallService::OnCancelled(const RpcCall& call, RpcCancelCause cause) {
  cancelled.push_back(cause);
  left_.erase(call.id());
}

void TestCallService::OnWritable(Timestamp now, const RpcCall& call) { Count(now, call); }

void TestCallService::Count(Timestamp now, const RpcCall& call) {
  int& left = left_[call.id()];
  for (; left > 0; --left) {
    const std::vector<uint8_t> message(kCountedSize, static_cast<uint8_t>(left));
    if (call.Send(now, message) != RpcSendVerdict::kSent) {
      ++blocked;
      return;
    }
  }
  left_.erase(call.id());
  call.Finish(now, RpcCode::kOk, "");
}

// ---- The world. ----

CallWorld::CallWorld(uint64_t seed, const RpcLimits& limits, bool early_data)
    : random(SeededRandom::SeedFromEnvOr(seed)), link(ClientEnd(), ServerEnd(), random) {
  client_tls_ = *TlsClientContext::Create(
      {.protocols = {RpcClientProtocol()}, .trusted_pem = root_.certificate});
  RestartServer(limits, early_data);
}

CallWorld::~CallWorld() {
  // Before the contexts of TLS.
  client.reset();
  endpoint.reset();
}

void CallWorld::RestartServer(const RpcLimits& limits, bool early_data) {
  limits_ = limits;
  endpoint.reset();
  served.reset();
  service.waiting.clear();
  protocol = std::make_unique<Protocol>(server_now_, service, buffers, limits);
  served = std::make_unique<ServedConnections>(
      ServedConnections::Options{.capacity = kEndpointLimits.max_connections,
                                 .protocols = {protocol.get()}},
      server_now_);
  ApplicationProtocol spoken = RpcServerProtocol(limits);
  spoken.early_data = early_data;
  server_tls_ = *TlsServerContext::Create(
      {.protocols = {spoken}}, *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key),
      link.now, ticket_random_.emplace(1));
  auto made = QuicEndpoint::Create(link.now, {.limits = kEndpointLimits}, StatelessReset::Secret(),
                                   *server_tls_, *served, random);
  SLUICE_CHECK(made.ok()) << made.status();
  endpoint = *std::move(made);
}

void CallWorld::StartClient(bool resume) {
  client.reset();
  client_out.Clear();
  answers.clear();
  connected = false;
  ended.reset();
  OutgoingConnection outgoing{.server_name = "sluice.test"};
  if (resume) {
    outgoing.ticket = ticket_;
    outgoing.remembered_parameters = remembered_;
  }
  // What is left of the last connection goes nowhere.
  link.client_seen_as = UdpAddress::V4(client_ip, ++client_port_);
  auto made = RpcClientConnection::Connect(link.now, {kClient, kServer}, outgoing, *client_tls_,
                                           {*this, buffers, client_streams, random, limits_});
  SLUICE_CHECK(made.ok()) << made.status();
  client = *std::move(made);
  client->Flush(link.now, client_out);
}

void CallWorld::Connect() {
  StartClient();
  link.RunFor(TimeDelta::Seconds(5), [this] { return connected && !ticket_.empty(); });
  SLUICE_CHECK(connected);
  link.RunFor(TimeDelta::Millis(200));
}

std::optional<RpcStreamId> CallWorld::Call(absl::string_view method,
                                           absl::Span<const uint8_t> message, TimeDelta timeout,
                                           RpcReplay replay) {
  const auto id =
      client->Start(link.now, {.method = method, .token = {}, .timeout = timeout}, message, replay);
  if (!id.ok()) return std::nullopt;
  answers[*id];
  client->Flush(link.now, client_out);
  return *id;
}

void CallWorld::Cancel(RpcStreamId id) {
  SLUICE_CHECK(client->Cancel(id));
  client->Flush(link.now, client_out);
}

bool CallWorld::RunUntilOver(RpcStreamId id, TimeDelta time) {
  link.RunFor(time, [&] { return answers[id].over(); });
  return answers[id].over();
}

void CallWorld::TurnServer() {
  served->BeginTurn(link.now);
  served->EndTurn(ServerTurn());
}

LinkEnd CallWorld::ClientEnd() {
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

LinkEnd CallWorld::ServerEnd() {
  return {.receive =
              [this](Timestamp now, const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> bytes) {
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
          .next_timeout = [this] { return NextServerTimeout(); },
          .out = &server_out};
}

Timestamp CallWorld::NextServerTimeout() const {
  return std::min(endpoint->NextTimeout(), served->NextTimeout());
}

std::unique_ptr<ServedConnection> CallWorld::Protocol::Serve(QuicConnection& connection) {
  std::unique_ptr<ServedConnection> served = RpcProtocolServer::Serve(connection);
  last = static_cast<RpcServerConnection*>(served.get());
  return served;
}

void CallWorld::OnMessage(RpcStreamId id, absl::Span<const uint8_t> message) {
  answers[id].messages.emplace_back(message.begin(), message.end());
}

void CallWorld::OnStatus(RpcStreamId id, const RpcStatus& status) {
  SLUICE_CHECK(!answers[id].over());
  answers[id].status = status.code;
}

void CallWorld::OnFailure(RpcStreamId id, const RpcFailure& failure) {
  SLUICE_CHECK(!answers[id].over());
  answers[id].failure = failure;
}

void CallWorld::OnTicket(absl::Span<const uint8_t> session,
                         absl::Span<const uint8_t> remembered_parameters) {
  ticket_.assign(session.begin(), session.end());
  remembered_.assign(remembered_parameters.begin(), remembered_parameters.end());
}

}  // namespace sluice

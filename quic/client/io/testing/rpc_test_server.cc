#include "quic/client/io/testing/rpc_test_server.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/io/monotonic_clock.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"

namespace sluice {
namespace {

constexpr uint32_t kConnections = 16;

}  // namespace

RpcTestServer::RpcTestServer(RpcService& service, bool retry)
    : random_(SeededRandom::SeedFromEnvOr(92)),
      protocol_(now_, service, buffers_, RpcLimits()),
      served_({.capacity = kConnections, .protocols = {&protocol_}}, now_) {
  ApplicationProtocol spoken = RpcServerProtocol(RpcLimits());
  spoken.early_data = true;
  tls_ = *TlsServerContext::Create({.protocols = {spoken}},
                                   *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key),
                                   MonotonicNow(), random_);
  const uint32_t above = retry ? 0 : kConnections;
  const EndpointLimits limits = {.max_connections = kConnections,
                                 .max_connections_per_source = kConnections,
                                 .max_half_open = kConnections,
                                 .retry_above_half_open = above,
                                 .retry_above_half_open_per_source = above,
                                 .send_streams = 64,
                                 .send_blocks = 512};
  auto made = UdpListener::Start(
      {.address = UdpAddress::V4({127, 0, 0, 1}, 0), .endpoint = {.limits = limits}},
      StatelessReset::Secret(), *tls_, served_, random_);
  SLUICE_CHECK(made.ok()) << made.status();
  listener_ = *std::move(made);
}

RpcTestServer::~RpcTestServer() = default;

std::string RpcTestServer::target() const { return absl::StrCat("127.0.0.1:", address().port()); }

}  // namespace sluice

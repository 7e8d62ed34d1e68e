#include "tests/interop/quic/quic_test_server.h"

#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/timestamp.h"
#include "gateway/io/system_random.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/calls/rpc_protocol_server.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_protocol.h"
#include "quic/http3/http_protocol_server.h"
#include "quic/io/monotonic_clock.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_server_context.h"
#include "tests/interop/quic/echo_rpc_service.h"
#include "tests/interop/quic/resumption_count.h"

namespace sluice {
namespace {

// More than a test has at once.
constexpr uint32_t kMaxConnections = 512;
constexpr size_t kBuffers = 256;

}  // namespace

// In the order in which they need each other.
struct QuicTestServer::Parts {
  explicit Parts(const QuicTestServerOptions& options)
      : leaf(MakeTestCertificate(root, options.dns_name)), transfers(options.page) {
    if (!options.key_log_path.empty()) key_log.open(options.key_log_path);
  }

  Timestamp now = MonotonicNow();
  SystemRandom random;
  TestCertificate root = MakeTestRoot();
  TestCertificate leaf;
  std::ofstream key_log;
  TransferService transfers;
  EchoRpcService echo;
  HttpBufferPool http_buffers{kBuffers};
  RpcBufferPool rpc_buffers{kBuffers};
  HttpProtocolServer http{{.now = now, .service = transfers, .buffers = http_buffers}};
  RpcProtocolServer rpc{now, echo, rpc_buffers, RpcLimits{}};
  ResumptionCount counted_http{http};
  EndpointParameters http_parameters;
  std::unique_ptr<TlsServerContext> tls;
  std::unique_ptr<ServedConnections> served;
  std::unique_ptr<UdpListener> listener;
};

absl::StatusOr<std::unique_ptr<QuicTestServer>> QuicTestServer::Start(
    const QuicTestServerOptions& options) {
  auto parts = std::make_unique<Parts>(options);
  ApplicationProtocol http = HttpServerProtocol(HttpLimits{});
  http.early_data = options.early_data;
  http.parameters.max_idle_timeout = options.idle_timeout;
  parts->http_parameters = http.parameters;

  absl::StatusOr<CertificateChain> chain =
      CertificateChain::FromPem(parts->leaf.certificate, parts->leaf.private_key);
  if (!chain.ok()) return chain.status();
  TlsServerOptions tls_options{.protocols = {RpcServerProtocol(RpcLimits{}), http}};
  if (parts->key_log.is_open()) {
    // Whoever reads the file does not wait for more of it.
    tls_options.key_log = [file = &parts->key_log](absl::string_view line) {
      *file << line << std::endl;
    };
  }
  absl::StatusOr<std::unique_ptr<TlsServerContext>> tls = TlsServerContext::Create(
      std::move(tls_options), *std::move(chain), parts->now, parts->random);
  if (!tls.ok()) return tls.status();
  parts->tls = *std::move(tls);

  ListenerOptions listener{.address = options.address};
  listener.endpoint.limits.max_connections = kMaxConnections;
  // All clients are on one host.
  listener.endpoint.limits.max_connections_per_source = kMaxConnections;
  listener.endpoint.limits.max_half_open = kMaxConnections;
  listener.endpoint.limits.retry_above_half_open = options.retry_always ? 0 : kMaxConnections;
  listener.endpoint.limits.retry_above_half_open_per_source = kMaxConnections;
  listener.endpoint.connection_limits.version2 = options.version2;
  parts->served = std::make_unique<ServedConnections>(
      ServedConnections::Options{.capacity = kMaxConnections,
                                 .protocols = {&parts->rpc, &parts->counted_http}},
      parts->now);
  absl::StatusOr<std::unique_ptr<UdpListener>> started = UdpListener::Start(
      listener, StatelessReset::Secret(), *parts->tls, *parts->served, parts->random);
  if (!started.ok()) return started.status();
  parts->listener = *std::move(started);
  return std::unique_ptr<QuicTestServer>(new QuicTestServer(std::move(parts)));
}

QuicTestServer::QuicTestServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
QuicTestServer::~QuicTestServer() = default;

const UdpAddress& QuicTestServer::address() const { return parts_->listener->local_address(); }
const std::string& QuicTestServer::root_certificate() const { return parts_->root.certificate; }
const std::string& QuicTestServer::certificate() const { return parts_->leaf.certificate; }
const EndpointParameters& QuicTestServer::http_parameters() const {
  return parts_->http_parameters;
}
ListenerCounters QuicTestServer::listener_counters() const { return parts_->listener->counters(); }
ServedCounters QuicTestServer::served_counters() const { return parts_->served->counters(); }
const TransferService& QuicTestServer::transfers() const { return parts_->transfers; }
uint64_t QuicTestServer::resumed() const { return parts_->counted_http.resumed(); }
void QuicTestServer::Stop(TimeDelta drain) { parts_->listener->Stop(drain); }

}  // namespace sluice

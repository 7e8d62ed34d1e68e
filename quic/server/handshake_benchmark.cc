// Rows <who>/<kind>: the time that a server spends on one handshake, from the client's first
// datagram to the end of its connection; what the client does in between is not counted. One
// thread, in memory, P-256 and X25519, one ticket per handshake.
//
//   stock      ngtcp2 with the glue for BoringSSL that it brings
//   sluice     ngtcp2 with ours: our transport parameters both ways, ticket keys, certificate store
//   endpoint   a connection of QuicEndpoint, with its name, its place and its timeouts
//
//   full       a client that was never here
//   resumed    one with a ticket

#include <ngtcp2/ngtcp2_crypto_boringssl.h>
#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/data_size.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/bare_connection.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

enum class Who { kStock, kSluice, kEndpoint };

ApplicationProtocol Protocol() {
  ApplicationProtocol protocol{.name = "bench"};
  protocol.parameters.max_idle_timeout = TimeDelta::Seconds(30);
  protocol.parameters.initial_max_data = DataSize::Bytes(1 << 20);
  protocol.parameters.initial_max_stream_data_bidi_remote = DataSize::Bytes(1 << 16);
  protocol.parameters.initial_max_streams_bidi = 100;
  return protocol;
}

class LastTicket : public TicketReceiver {
 public:
  void OnTicket(absl::Span<const uint8_t> session) override {
    bytes.assign(session.begin(), session.end());
  }
  Bytes bytes;
};

// Takes connections and listens to none.
class Silence : public ConnectionAcceptor, public ConnectionHandler {
 public:
  ConnectionHandler* OnConnection(QuicConnection&) override { return this; }
  void OnStreamData(StreamId, absl::Span<const uint8_t>, bool, bool) override {}
};

// A server of one of the kinds, which sees datagrams and gives some.
class Server {
 public:
  virtual ~Server() = default;
  virtual void Receive(Timestamp now, absl::Span<const uint8_t> datagram,
                       std::vector<Bytes>& answers) = 0;
  // The client is done; forget it.
  virtual void Forget(Timestamp now) = 0;
};

class BareServer : public Server {
 public:
  void Receive(Timestamp now, absl::Span<const uint8_t> datagram,
               std::vector<Bytes>& answers) override {
    if (connection_ == nullptr) connection_ = Make(now, datagram);
    connection_->Read(now, datagram);
    for (Bytes out = connection_->Write(now); !out.empty(); out = connection_->Write(now)) {
      answers.push_back(std::move(out));
    }
  }
  void Forget(Timestamp) override { connection_.reset(); }

 protected:
  virtual std::unique_ptr<BareConnection> Make(Timestamp now,
                                               absl::Span<const uint8_t> initial) = 0;

 private:
  std::unique_ptr<BareConnection> connection_;
};

class SluiceServer : public BareServer {
 public:
  SluiceServer(TlsServerContext& tls, RandomSource& random) : tls_(tls), random_(random) {}

 private:
  std::unique_ptr<BareConnection> Make(Timestamp now, absl::Span<const uint8_t> initial) override {
    return BareConnection::Server(now, initial, tls_.NewSession(now), tls_.protocols(), random_);
  }
  TlsServerContext& tls_;
  RandomSource& random_;
};

class StockServer : public BareServer {
 public:
  StockServer(const CertificateChain& chain, const ApplicationProtocols& protocols,
              RandomSource& random)
      : chain_(chain), protocols_(protocols), random_(random), context_(SSL_CTX_new(TLS_method())) {
    ngtcp2_crypto_boringssl_configure_server_context(context_.get());
    SSL_CTX_set_num_tickets(context_.get(), 1);
    SSL_CTX_set_session_cache_mode(context_.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(
        context_.get(),
        [](SSL*, const uint8_t** out, uint8_t* out_size, const uint8_t* in, unsigned, void*) {
          *out = in + 1;
          *out_size = in[0];
          return SSL_TLSEXT_ERR_OK;
        },
        nullptr);
  }

 private:
  std::unique_ptr<BareConnection> Make(Timestamp now, absl::Span<const uint8_t> initial) override {
    bssl::UniquePtr<SSL> ssl(SSL_new(context_.get()));
    SLUICE_CHECK(chain_.ApplyTo(*ssl));
    SSL_set_accept_state(ssl.get());
    return BareConnection::StockServer(now, initial, std::move(ssl),
                                       protocols_.best().protocol.parameters, random_);
  }
  const CertificateChain& chain_;
  const ApplicationProtocols& protocols_;
  RandomSource& random_;
  bssl::UniquePtr<SSL_CTX> context_;
};

class EndpointServer : public Server {
 public:
  EndpointServer(Timestamp now, TlsServerContext& tls, RandomSource& random)
      : endpoint_(*QuicEndpoint::Create(now, Options(), StatelessReset::Secret(), tls, silence_,
                                        random)) {}
  void Receive(Timestamp now, absl::Span<const uint8_t> datagram,
               std::vector<Bytes>& answers) override {
    endpoint_->HandleDatagram(now, path_, Ecn::kNotEct, datagram, out_);
    endpoint_->HandleTimeouts(now, out_);
    for (const auto& datagram_out : out_.datagrams()) {
      answers.emplace_back(datagram_out.bytes.begin(), datagram_out.bytes.end());
    }
    out_.Clear();
  }
  void Forget(Timestamp now) override {
    endpoint_->CloseSome(now, 0, out_);
    endpoint_->HandleTimeouts(now + TimeDelta::Seconds(10), out_);
    out_.Clear();
    SLUICE_CHECK(endpoint_->connections() == 0);
  }

 private:
  // One connection at a time: closing all of them looks at every place.
  static EndpointOptions Options() {
    EndpointOptions options;
    options.limits.max_connections = options.limits.max_half_open = 4;
    options.limits.max_connections_per_source = 4;
    options.limits.retry_above_half_open = options.limits.retry_above_half_open_per_source = 4;
    return options;
  }

  Silence silence_;
  std::unique_ptr<QuicEndpoint> endpoint_;
  DatagramOutbox out_{64};
  const UdpPath path_{UdpAddress::V4({192, 0, 2, 1}, 443), UdpAddress::V4({192, 0, 2, 2}, 4000)};
};

void BM_Handshake(benchmark::State& state, Who who, bool resumed) {
  SeededRandom random(1);
  Timestamp now = Timestamp::Seconds(1'700'000'000);
  const TestCertificate root = MakeTestRoot();
  const TestCertificate leaf = MakeTestCertificate(root);
  const CertificateChain chain = *CertificateChain::FromPem(leaf.certificate, leaf.private_key);
  const auto server_tls = *TlsServerContext::Create(
      {.protocols = {Protocol()}}, *CertificateChain::FromPem(leaf.certificate, leaf.private_key),
      now, random);
  const auto client_tls =
      *TlsClientContext::Create({.protocols = {Protocol()}, .trust_anyone = true});
  std::unique_ptr<Server> server;
  if (who == Who::kStock) {
    server = std::make_unique<StockServer>(chain, server_tls->protocols(), random);
  } else if (who == Who::kSluice) {
    server = std::make_unique<SluiceServer>(*server_tls, random);
  } else {
    server = std::make_unique<EndpointServer>(now, *server_tls, random);
  }
  LastTicket ticket;
  const auto handshake = [&](bool timed) {
    bssl::UniquePtr<SSL> ssl = client_tls->NewSession("sluice.test", 0, ticket.bytes);
    LastTicket next;
    TlsClientContext::GiveTicketsTo(next, *ssl);
    const auto client =
        BareConnection::Client(now, std::move(ssl), client_tls->protocols(), random);
    std::vector<Bytes> answers;
    for (int round = 0; round < 10 && next.bytes.empty(); ++round) {
      std::vector<Bytes> sent;
      for (Bytes out = client->Write(now); !out.empty(); out = client->Write(now)) {
        sent.push_back(std::move(out));
      }
      if (timed) state.ResumeTiming();
      for (const Bytes& datagram : sent) server->Receive(now, datagram, answers);
      if (timed) state.PauseTiming();
      for (const Bytes& answer : answers) client->Read(now, answer);
      answers.clear();
      now += TimeDelta::Millis(1);
    }
    SLUICE_CHECK(client->completed() && !next.bytes.empty());
    SLUICE_CHECK(client->tls()->resumed() == !ticket.bytes.empty());
    if (timed) state.ResumeTiming();
    server->Forget(now);
    if (timed) state.PauseTiming();
    now += TimeDelta::Seconds(20);
    return next.bytes;
  };
  if (resumed) ticket.bytes = handshake(false);
  for (auto _ : state) {
    state.PauseTiming();
    Bytes next = handshake(true);
    if (resumed) ticket.bytes = std::move(next);
    state.ResumeTiming();
  }
}

[[maybe_unused]] const bool registered = [] {
  const std::pair<const char*, Who> kWho[] = {
      {"stock", Who::kStock}, {"sluice", Who::kSluice}, {"endpoint", Who::kEndpoint}};
  for (const bool resumed : {false, true}) {
    for (const auto& [name, who] : kWho) {
      benchmark::RegisterBenchmark(absl::StrCat(name, resumed ? "/resumed" : "/full").c_str(),
                                   BM_Handshake, who, resumed);
    }
  }
  return true;
}();

}  // namespace
}  // namespace sluice

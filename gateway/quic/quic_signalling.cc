#include "gateway/quic/quic_signalling.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "gateway/control/tls_credentials.h"
#include "gateway/quic/quic_options.h"
#include "gateway/quic/quic_report.h"
#include "gateway/quic/reset_secret.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_protocol.h"
#include "quic/io/monotonic_clock.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/tls/application_protocols.h"

namespace sluice {
namespace {

// One connection's calls are one participant's: the defaults are made for that.
constexpr RpcLimits kRpcLimits;
constexpr HttpLimits kHttpLimits;

absl::StatusOr<StatelessReset::Secret> MakeResetSecret(const QuicConfig& config,
                                                       RandomSource& random) {
  if (!config.secret_file.empty()) {
    return LoadResetSecret(config.secret_file);
  }
  LOG(INFO) << "no quic.secret_file (--quic-secret-file): after a restart clients notice only by "
               "silence that their connections are gone";
  StatelessReset::Secret secret;
  random.Fill(secret.mutable_span());
  return secret;
}

absl::StatusOr<std::unique_ptr<KeyLogFile>> OpenKeyLog(const QuicConfig& config) {
  if (config.key_log_file.empty()) {
    return nullptr;
  }
  return KeyLogFile::Open(config.key_log_file);
}

absl::StatusOr<CertificateChain> LoadCertificate(const QuicConfig& config) {
  const absl::StatusOr<TlsIdentity> identity =
      LoadTlsIdentity({config.certificate, config.private_key, ""}, absl::Now());
  if (!identity.ok()) {
    return identity.status();
  }
  absl::StatusOr<CertificateChain> chain =
      CertificateChain::FromPem(identity->certificate_pem, identity->private_key_pem);
  if (!chain.ok()) {
    return absl::Status(chain.status().code(),
                        absl::StrCat("the certificate ", config.certificate,
                                     " cannot be used for QUIC: ", chain.status().message()));
  }
  return chain;
}

// `key_log` may be null, and outlives the context as `random` does.
absl::StatusOr<std::unique_ptr<TlsServerContext>> MakeTls(const QuicConfig& config,
                                                          CertificateChain certificate,
                                                          KeyLogFile* key_log,
                                                          RandomSource& random) {
  TlsServerOptions options{
      .protocols = {RpcServerProtocol(kRpcLimits), HttpServerProtocol(kHttpLimits)}};
  for (ApplicationProtocol& protocol : options.protocols) {
    // The services refuse what may not happen twice (SignallingMethodRow::early).
    protocol.early_data = config.early_data;
  }
  if (key_log != nullptr) {
    options.key_log = [key_log](absl::string_view line) { key_log->Write(line); };
  }
  return TlsServerContext::Create(std::move(options), std::move(certificate), MonotonicNow(),
                                  random);
}

absl::Status ExplainListen(const TransportAddress& address, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("cannot listen for participants over QUIC at ",
                                                  address.ToString(), ": ", status.message(),
                                                  "; give another address with --quic-listen"));
}

}  // namespace

void QuicSignalling::Waker::Wake() {
  const absl::MutexLock lock(&mutex_);
  if (listener_ != nullptr) {
    listener_->Wake();
  }
}

void QuicSignalling::Waker::Set(UdpListener* listener) {
  {
    const absl::MutexLock lock(&mutex_);
    listener_ = listener;
  }
  Wake();
}

absl::StatusOr<std::unique_ptr<QuicSignalling>> QuicSignalling::Start(const QuicConfig& config,
                                                                      const Limits& limits,
                                                                      ParticipantCalls& calls,
                                                                      const EventLog& events) {
  auto random = std::make_unique<SystemRandom>();
  absl::StatusOr<StatelessReset::Secret> secret = MakeResetSecret(config, *random);
  if (!secret.ok()) {
    return secret.status();
  }
  absl::StatusOr<CertificateChain> certificate = LoadCertificate(config);
  if (!certificate.ok()) {
    return certificate.status();
  }
  absl::StatusOr<std::unique_ptr<KeyLogFile>> key_log = OpenKeyLog(config);
  if (!key_log.ok()) {
    return key_log.status();
  }
  absl::StatusOr<std::unique_ptr<TlsServerContext>> tls =
      MakeTls(config, *std::move(certificate), key_log->get(), *random);
  if (!tls.ok()) {
    return tls.status();
  }
  const EndpointLimits endpoint = ToEndpointLimits(config, limits);
  auto signalling = std::unique_ptr<QuicSignalling>(
      new QuicSignalling(config, limits, endpoint, calls, events, *std::move(key_log),
                         std::move(random), *std::move(tls)));
  QuicSignalling& s = *signalling;
  absl::StatusOr<std::unique_ptr<UdpListener>> listener =
      UdpListener::Start({.address = ToUdpAddress(config.listen), .endpoint = {.limits = endpoint}},
                         *std::move(secret), *s.tls_, s.served_, *s.random_);
  if (!listener.ok()) {
    return ExplainListen(config.listen, listener.status());
  }
  s.listener_ = *std::move(listener);
  s.waker_.Set(s.listener_.get());
  return signalling;
}

QuicSignalling::QuicSignalling(const QuicConfig& config, const Limits& limits,
                               const EndpointLimits& endpoint, ParticipantCalls& calls,
                               const EventLog& events, std::unique_ptr<KeyLogFile> key_log,
                               std::unique_ptr<SystemRandom> random,
                               std::unique_ptr<TlsServerContext> tls)
    : key_log_(std::move(key_log)),
      random_(std::move(random)),
      tls_(std::move(tls)),
      watch_(config.certificate, config.private_key, tls_->certificates()),
      rpc_buffers_(kQuicRpcBuffers),
      http_buffers_(kQuicHttpBuffers),
      threads_({.threads = limits.quic_threads}),
      pending_(calls, events, threads_, {.streams = endpoint.max_connections},
               [this] { waker_.Wake(); }),
      rpc_service_(pending_),
      http_service_(pending_, {.allowed_origins = config.allow_origins,
                               .serving = [this] { return serving_.load(); }}),
      rpc_protocol_(now_, rpc_service_, rpc_buffers_, kRpcLimits),
      http_protocol_(
          {.now = now_, .service = http_service_, .buffers = http_buffers_, .limits = kHttpLimits}),
      served_({.capacity = endpoint.max_connections,
               .protocols = {&rpc_protocol_, &http_protocol_},
               .works = {&pending_}},
              now_) {}

QuicSignalling::~QuicSignalling() {
  Stop(absl::ZeroDuration());
  waker_.Set(nullptr);
  // Before those whom its connections call.
  listener_.reset();
}

TransportAddress QuicSignalling::address() const {
  return ToTransportAddress(listener_->local_address());
}

QuicUse QuicSignalling::use() const {
  const ListenerCounters listener = listener_->counters();
  const ServedCounters served = served_.counters();
  const RpcProtocolCounters rpc = rpc_protocol_.counters();
  const HttpProtocolCounters http = http_protocol_.counters();
  return ReportQuic({.address = address(),
                     .listener = listener,
                     .served = served,
                     .calls = pending_.counters(),
                     .rpc = rpc,
                     .http = http,
                     .threads = threads_.usage(),
                     .pending = pending_.usage(),
                     .key_log_lines_lost = key_log_ == nullptr ? 0 : key_log_->lost(),
                     .certificates_replaced = watch_.replaced(),
                     .certificates_refused = watch_.refused()});
}

void QuicSignalling::Stop(absl::Duration patience) {
  if (listener_ == nullptr) {
    return;
  }
  serving_ = false;
  listener_->Stop(TimeDelta::Micros(absl::ToInt64Microseconds(patience)));
}

}  // namespace sluice

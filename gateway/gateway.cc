#include "gateway/gateway.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "gateway/config/limits.h"
#include "gateway/config/machine_memory.h"
#include "gateway/control/control_room.h"
#include "gateway/control/control_server.h"
#include "gateway/control/event_pump.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/health.h"
#include "gateway/control/node_report.h"
#include "gateway/control/tls_credentials.h"
#include "gateway/io/media_port_pool.h"
#include "gateway/io/packet_logs.h"
#include "gateway/io/socket_address.h"
#include "gateway/io/system_random.h"
#include "gateway/io/udp_socket.h"
#include "gateway/quic/quic_options.h"
#include "gateway/quic/quic_signalling.h"
#include "gateway/signalling/participant_calls.h"
#include "gateway/signalling/signalling_grpc_service.h"
#include "gateway/tokens/revoked_tokens.h"
#include "gateway/tokens/token_authority.h"
#include "gateway/tokens/token_keys.h"
#include "gateway/worker/packet_slots.h"
#include "gateway/worker/worker_limits.h"
#include "gateway/worker/worker_pool.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

WorkerLimits ToWorkerLimits(const Config& config) {
  const Limits& limits = config.limits;
  WorkerLimits worker = {.sessions = SessionsPerWorker(limits, config.workers),
                         .legs_per_session = limits.legs_per_session,
                         .streams_per_leg = limits.streams_per_leg,
                         .receive_batch = limits.receive_batch,
                         .outbox_packets = limits.outbox_packets,
                         .mailbox_commands = limits.mailbox_commands,
                         .event_queue = limits.event_queue,
                         .extra_srtp_bytes = ExtraSrtpBytesPerWorker(limits, config.workers),
                         .interceptor_bytes = InterceptorBytesPerWorker(limits, config.workers),
                         .held_packets = HeldPacketsPerWorker(limits, config.workers)};
  worker.packet_slots = PacketSlots(worker);
  return worker;
}

absl::Status CheckMemory(const Config& config, const WorkerLimits& worker) {
  return sluice::CheckMemory(
      SumMemory(config.limits,
                {.workers = config.workers,
                 .packet_slots = worker.packet_slots,
                 .packet_slot_bytes = kPacketSlotStride,
                 .port_pairs = config.media.AllPortPairs(),
                 .packet_log_bytes =
                     config.media.packet_log_folder.empty() ? 0 : PacketLogs::MemorySize(),
                 .grpc_ports = config.signalling.has_value() ? size_t{2} : size_t{1},
                 .quic_connection_bytes = config.quic.has_value() ? kQuicConnectionBytes : 0,
                 .quic_pool_bytes = config.quic.has_value() ? QuicPoolBytes(ToEndpointLimits(
                                                                  *config.quic, config.limits))
                                                            : 0}),
      MachineMemory());
}

absl::StatusOr<EngineKind> ChooseEngine(const Config& config) {
  absl::StatusOr<EngineKind> engine =
      sluice::ChooseEngine(config.crypto_engine, DetectCpuFeatures());
  if (!engine.ok()) {
    return absl::Status(engine.status().code(), absl::StrCat("crypto_engine (--crypto-engine): ",
                                                             engine.status().message()));
  }
  return engine;
}

// An address that is not of this machine would only show with the first leg.
absl::Status CheckMediaAddresses(const MediaConfig& media) {
  for (const std::optional<IpAddress>& ip : {media.ipv4, media.ipv6}) {
    if (!ip.has_value()) {
      continue;
    }
    const absl::StatusOr<UdpSocket> socket = UdpSocket::Open({*ip, 0});
    if (!socket.ok()) {
      return absl::Status(socket.status().code(),
                          absl::StrCat("media cannot be received at ", ip->ToString(), ": ",
                                       socket.status().message()));
    }
  }
  return absl::OkStatus();
}

MediaPortPoolOptions ToPoolOptions(const MediaConfig& media) {
  return {.first_port = media.first_port,
          .last_port = media.last_port,
          .ipv4 = media.ipv4,
          .ipv6 = media.ipv6,
          .advertised_ipv4 = media.advertised_ipv4,
          .advertised_ipv6 = media.advertised_ipv6};
}

// Every leg has two descriptors; the soft limit of most systems is 1024.
void RaiseDescriptorLimit(const MediaConfig& media) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return;
  }
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 2 * media.AllPortPairs()) {
    LOG(WARNING) << "the process may open " << limit.rlim_max << " files, all media ports need "
                 << 2 * media.AllPortPairs() << ": raise the limit (ulimit -Hn, LimitNOFILE)";
  }
}

// Why gRPC could not listen, which it tells only in its log.
absl::Status ExplainListen(const TransportAddress& address, absl::string_view whom,
                           absl::string_view flag) {
  sockaddr_storage storage{};
  const socklen_t size = ToSockaddr(address, storage);
  const int fd = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  std::string reason = "the system does not say why";
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&storage), size) != 0) {
    reason = std::generic_category().message(errno);
  }
  return absl::UnavailableError(absl::StrCat("cannot listen for ", whom, " at ", address.ToString(),
                                             ": ", reason, "; give another address with ", flag));
}

std::string RandomInstanceId(RandomSource& random) {
  std::array<uint8_t, 16> bytes;
  random.Fill(absl::MakeSpan(bytes));
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

absl::StatusOr<ControlServerOptions> ToServerOptions(const Config& config) {
  ControlServerOptions options;
  options.listen = config.listen;
  options.threads = config.limits.grpc_threads + config.limits.watchers;
  if (config.tls.has_value()) {
    absl::StatusOr<TlsIdentity> identity = LoadTlsIdentity(*config.tls, absl::Now());
    if (!identity.ok()) {
      return identity.status();
    }
    options.tls = *std::move(identity);
  }
  return options;
}

absl::StatusOr<ControlServerOptions> ToServerOptions(const SignallingConfig& signalling,
                                                     const Limits& limits) {
  ControlServerOptions options;
  options.listen = signalling.listen;
  options.audience = ServerAudience::kParticipants;
  options.threads = limits.grpc_threads + limits.watchers;
  if (!signalling.certificate.empty()) {
    absl::StatusOr<TlsIdentity> identity =
        LoadTlsIdentity({signalling.certificate, signalling.private_key, ""}, absl::Now());
    if (!identity.ok()) {
      return identity.status();
    }
    options.tls = *std::move(identity);
  }
  return options;
}

// What participants reach over gRPC.
struct SignallingPort {
  explicit SignallingPort(ParticipantCalls& calls) : grpc(calls) {}

  SignallingGrpcService grpc;
  std::unique_ptr<ControlServer> server;
};

// Null where participants cannot call.
absl::StatusOr<std::unique_ptr<SignallingPort>> OpenSignalling(const Config& config,
                                                               ParticipantCalls& calls) {
  if (!config.signalling.has_value()) {
    return nullptr;
  }
  const absl::StatusOr<ControlServerOptions> options =
      ToServerOptions(*config.signalling, config.limits);
  if (!options.ok()) {
    return options.status();
  }
  auto port = std::make_unique<SignallingPort>(calls);
  absl::StatusOr<std::unique_ptr<ControlServer>> server =
      ControlServer::Start(*options, port->grpc);
  if (!server.ok()) {
    return ExplainListen(config.signalling->listen, "participants", "--signalling-listen");
  }
  port->server = *std::move(server);
  return port;
}

// Null where participants cannot come over QUIC.
absl::StatusOr<std::unique_ptr<QuicSignalling>> OpenQuic(const Config& config,
                                                         ParticipantCalls& calls,
                                                         ControlRoom& room) {
  if (!config.quic.has_value()) {
    return nullptr;
  }
  return QuicSignalling::Start(*config.quic, config.limits, calls, room.log());
}

// Null without a folder.
absl::StatusOr<std::unique_ptr<PacketLogs>> MakePacketLogs(const Config& config) {
  if (config.media.packet_log_folder.empty()) {
    return nullptr;
  }
  return PacketLogs::Create(
      {.folder = config.media.packet_log_folder, .max_logs = config.limits.packet_logs});
}

std::function<LimitState()> PacketLogUse(const PacketLogs* logs, uint64_t limit) {
  if (logs == nullptr) {
    return nullptr;
  }
  return [logs, limit] { return LimitState{limit, logs->open(), logs->refused()}; };
}

// `packet_logs` may be null.
NodeSources ToNodeSources(const Config& config, EngineKind engine, const MediaPortPool& ports,
                          const PacketLogs* packet_logs, const RevokedTokens& revoked) {
  NodeSources sources;
  sources.version = std::string(kGatewayVersion);
  sources.start_time = absl::Now();
  sources.limits = config.limits;
  sources.session_defaults = config.session_defaults;
  sources.crypto_engine = engine;
  sources.media_ports = [&ports] {
    return LimitState{ports.capacity(), ports.used(), ports.refused()};
  };
  sources.packet_logs = PacketLogUse(packet_logs, config.limits.packet_logs);
  sources.revoked_tokens = [&revoked] {
    return LimitState{revoked.max(), revoked.used(), revoked.refused()};
  };
  return sources;
}

absl::StatusOr<std::unique_ptr<TokenAuthority>> MakeTokens(const Config& config,
                                                           RandomSource& random) {
  absl::StatusOr<TokenKeys> keys = config.token_key_file.empty()
                                       ? GenerateTokenKeys(random)
                                       : LoadTokenKeys(config.token_key_file);
  if (!keys.ok()) {
    return keys.status();
  }
  return std::make_unique<TokenAuthority>(*std::move(keys), config.limits.revoked_tokens);
}

std::vector<uint64_t> CountTurns(WorkerPool& workers) {
  std::vector<uint64_t> turns;
  for (size_t i = 0; i < workers.size(); ++i) {
    turns.push_back(workers.worker(i).turns());
  }
  return turns;
}

}  // namespace

// In the order in which they are made; each uses only those before it.
struct Gateway::Parts {
  // The rest, when everything that it needs is there.
  absl::Status Serve(const Config& config, const ControlServerOptions& options);

  EngineKind engine = EngineKind::kBoringSsl;
  SystemRandom random;
  EventPump pump;
  std::unique_ptr<MediaPortPool> ports;
  // Null without a folder.
  std::unique_ptr<PacketLogs> packet_logs;
  std::unique_ptr<WorkerPool> workers;
  std::unique_ptr<ControlRoom> room;
  std::unique_ptr<TokenAuthority> tokens;
  std::unique_ptr<GatewayService> service;
  std::unique_ptr<ParticipantCalls> participant_calls;
  // Null where participants cannot call so.
  std::unique_ptr<QuicSignalling> quic;
  std::unique_ptr<SignallingPort> signalling;
  std::unique_ptr<ControlServer> server;
  std::unique_ptr<Health> health;
};

// Opens the ports, participants' before controllers'.
absl::Status Gateway::Parts::Serve(const Config& config, const ControlServerOptions& options) {
  NodeSources sources = ToNodeSources(config, engine, *ports, packet_logs.get(), tokens->revoked());
  sources.participants_refused = [this] { return participant_calls->refusals().counts(); };
  if (config.quic.has_value()) {
    // Nobody can ask before the control port is open, and then there is one.
    sources.quic = [this] { return quic->use(); };
  }
  service = std::make_unique<GatewayService>(*room, *tokens, random, std::move(sources));
  participant_calls = std::make_unique<ParticipantCalls>(*service, *room, *tokens);

  absl::StatusOr<std::unique_ptr<QuicSignalling>> quic_port =
      OpenQuic(config, *participant_calls, *room);
  if (!quic_port.ok()) {
    return quic_port.status();
  }
  quic = *std::move(quic_port);
  absl::StatusOr<std::unique_ptr<SignallingPort>> grpc_port =
      OpenSignalling(config, *participant_calls);
  if (!grpc_port.ok()) {
    return grpc_port.status();
  }
  signalling = *std::move(grpc_port);
  absl::StatusOr<std::unique_ptr<ControlServer>> control_port =
      ControlServer::Start(options, *service);
  if (!control_port.ok()) {
    return ExplainListen(config.listen, "controllers", "--listen");
  }
  server = *std::move(control_port);
  pump.Start([this] { room->PublishNotices(); });
  health = std::make_unique<Health>(
      server->health(), [this] { return CountTurns(*workers); }, HealthTimes{});
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Gateway>> Gateway::Create(const Config& config) {
  const WorkerLimits worker_limits = ToWorkerLimits(config);
  for (absl::Status status :
       {CheckMemory(config, worker_limits), CheckMediaAddresses(config.media)}) {
    if (!status.ok()) {
      return status;
    }
  }
  const absl::StatusOr<EngineKind> engine = ChooseEngine(config);
  if (!engine.ok()) {
    return engine.status();
  }
  const absl::StatusOr<ControlServerOptions> server_options = ToServerOptions(config);
  if (!server_options.ok()) {
    return server_options.status();
  }
  RaiseDescriptorLimit(config.media);

  auto parts = std::make_unique<Parts>();
  Parts& p = *parts;
  p.engine = *engine;
  absl::StatusOr<std::unique_ptr<MediaPortPool>> ports =
      MediaPortPool::Create(ToPoolOptions(config.media));
  if (!ports.ok()) {
    return ports.status();
  }
  p.ports = *std::move(ports);

  absl::StatusOr<std::unique_ptr<PacketLogs>> logs = MakePacketLogs(config);
  if (!logs.ok()) {
    return logs.status();
  }
  p.packet_logs = *std::move(logs);

  absl::StatusOr<std::unique_ptr<WorkerPool>> workers = WorkerPool::Create(
      config.workers, worker_limits, *engine, *p.ports, [&p] { p.pump.Wake(); },
      p.packet_logs.get());
  if (!workers.ok()) {
    return workers.status();
  }
  p.workers = *std::move(workers);

  absl::StatusOr<std::unique_ptr<TokenAuthority>> tokens = MakeTokens(config, p.random);
  if (!tokens.ok()) {
    return tokens.status();
  }
  p.tokens = *std::move(tokens);

  p.room = std::make_unique<ControlRoom>(config.limits, RandomInstanceId(p.random), &absl::Now,
                                         *p.workers);
  const absl::Status status = p.Serve(config, *server_options);
  if (!status.ok()) {
    return status;
  }
  return std::unique_ptr<Gateway>(new Gateway(std::move(parts)));
}

Gateway::Gateway(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Gateway::~Gateway() { Stop(absl::ZeroDuration()); }

const TransportAddress& Gateway::control_address() const { return parts_->server->address(); }

std::optional<TransportAddress> Gateway::signalling_address() const {
  if (parts_->signalling == nullptr) {
    return std::nullopt;
  }
  return parts_->signalling->server->address();
}

std::optional<TransportAddress> Gateway::quic_address() const {
  if (parts_->quic == nullptr) {
    return std::nullopt;
  }
  return parts_->quic->address();
}

void Gateway::CheckCertificates() {
  if (parts_->quic != nullptr) {
    parts_->quic->CheckCertificate();
  }
}

void Gateway::ReloadCertificates() {
  LOG(INFO) << "certificates are read again; those of gRPC ports need a restart";
  if (parts_->quic != nullptr) {
    parts_->quic->ReloadCertificate();
  }
}

EngineKind Gateway::crypto_engine() const { return parts_->engine; }

void Gateway::Stop(absl::Duration patience) {
  parts_->health->SetStopping();
  parts_->room->log().Close();
  const absl::Time end = absl::Now() + patience;
  // Each port has its turn, so one with a client that does not leave must not take all of the time.
  if (parts_->quic != nullptr) {
    parts_->quic->Stop(patience / 2);
  }
  if (parts_->signalling != nullptr) {
    parts_->signalling->server->Shutdown(end - absl::Now());
  }
  parts_->server->Shutdown(end - absl::Now());
  parts_->workers->Stop();
  parts_->pump.Stop();
}

}  // namespace sluice

#include "gateway/control/control_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <utility>

#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

// The largest request there is, an AddLeg with all lists full, has a few kilobytes.
constexpr int kMaxRequestBytes = 1 << 20;
// Of one connection; a controller that wants more opens another.
constexpr int kMaxStreamsPerConnection = 100;
// A participant has one leg, and so one call at a time beside its event streams; nothing it may ask
// has more than some kilobytes.
constexpr int kMaxParticipantRequestBytes = 1 << 16;
constexpr int kMaxStreamsPerParticipant = 8;
// A connection without a call costs memory and a descriptor, and anybody can open one. To come back
// costs a participant one round trip.
constexpr int kMaxParticipantIdleMs = 60'000;
// A controller that is gone without a word is found out after 40 s, and with it the event stream
// that it held.
constexpr int kKeepaliveTimeMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
// Controllers may ask as often for their part.
constexpr int kMinPingIntervalMs = 10'000;
// Threads that wait for the next call. They are counted in the quota as well.
constexpr int kMinPollers = 1;
constexpr int kMaxPollers = 2;

}  // namespace

absl::StatusOr<std::unique_ptr<ControlServer>> ControlServer::Start(
    const ControlServerOptions& options, grpc::Service& service) {
  const bool participants = options.audience == ServerAudience::kParticipants;
  if (!participants && options.tls.has_value() && options.tls->client_ca_pem.empty()) {
    return absl::InvalidArgumentError("controllers need an authority for their certificates");
  }
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  grpc::ResourceQuota quota("control");
  quota.SetMaxThreads(static_cast<int>(options.threads) + kMaxPollers);
  grpc::ServerBuilder builder;
  builder.SetResourceQuota(quota);
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, kMinPollers);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, kMaxPollers);
  builder.SetMaxReceiveMessageSize(participants ? kMaxParticipantRequestBytes : kMaxRequestBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             participants ? kMaxStreamsPerParticipant : kMaxStreamsPerConnection);
  if (participants) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kMaxParticipantIdleMs);
  }
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kMinPingIntervalMs);
  // Otherwise a second gateway on the same port starts without a word and takes half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);

  int port = 0;
  builder.AddListeningPort(
      options.listen.ToString(),
      options.tls.has_value() ? ToCredentials(*options.tls) : grpc::InsecureServerCredentials(),
      &port);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(
        absl::StrCat("the port ", options.listen.ToString(), " cannot be opened"));
  }
  return std::unique_ptr<ControlServer>(
      new ControlServer(std::move(server), {options.listen.ip, static_cast<uint16_t>(port)}));
}

ControlServer::~ControlServer() { Shutdown(absl::ZeroDuration()); }

void ControlServer::Shutdown(absl::Duration patience) {
  server_->Shutdown(absl::ToChronoTime(absl::Now() + patience));
  server_->Wait();
}

void SetGrpcLogQuiet(bool quiet) {
  if (quiet) {
    gpr_set_log_function([](gpr_log_func_args*) {});
    return;
  }
  gpr_set_log_function([](gpr_log_func_args* args) {
    if (args->severity == GPR_LOG_SEVERITY_ERROR) {
      LOG_EVERY_N_SEC(WARNING, 1) << "gRPC: " << args->message;
    }
  });
}

}  // namespace sluice

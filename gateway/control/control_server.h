#ifndef GATEWAY_CONTROL_CONTROL_SERVER_H_
#define GATEWAY_CONTROL_CONTROL_SERVER_H_

#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gateway/control/tls_credentials.h"
#include "gateway/net/transport_address.h"

namespace sluice {

// Whom a port is for.
enum class ServerAudience : uint8_t {
  // With TLS they must show a certificate.
  kControllers,
  // They show tokens with their calls, and none to connect: whoever can reach the port can, so its
  // bounds are narrower.
  kParticipants,
};

struct ControlServerOptions {
  TransportAddress listen;
  ServerAudience audience = ServerAudience::kControllers;
  // nullopt: no TLS, for loopback only.
  std::optional<TlsIdentity> tls;
  // Calls and event streams that may be served at the same time, a thread each.
  size_t threads = 1;
};

// A gRPC server: one service, health and reflection on one port. Everything a client may make it
// hold is bounded: threads, message sizes, streams of a connection, idle connections.
class ControlServer {
 public:
  // `service` outlives the server. InvalidArgument when controllers would not be asked for
  // certificates although there is TLS. Unavailable when the address cannot be bound; why is for
  // the caller to find out, gRPC does not say.
  static absl::StatusOr<std::unique_ptr<ControlServer>> Start(const ControlServerOptions& options,
                                                              grpc::Service& service);
  // Shutdown at once.
  ~ControlServer();

  // With the port that was bound.
  const TransportAddress& address() const { return address_; }
  grpc::HealthCheckServiceInterface& health() { return *server_->GetHealthCheckService(); }

  // Takes no more calls and waits for those under way; after `patience` they are cancelled. Any
  // number of times, one thread at a time.
  void Shutdown(absl::Duration patience);

 private:
  ControlServer(std::unique_ptr<grpc::Server> server, const TransportAddress& address)
      : server_(std::move(server)), address_(address) {}

  std::unique_ptr<grpc::Server> server_;
  const TransportAddress address_;
};

// gRPC writes its own log, from now on: nothing of it while `quiet`, else its errors as warnings of
// ours, at most one a second, since a stranger's failed handshake is one. Of the whole process.
void SetGrpcLogQuiet(bool quiet);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_CONTROL_SERVER_H_

#ifndef TESTS_E2E_GATEWAY_PROCESS_H_
#define TESTS_E2E_GATEWAY_PROCESS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/channel.h"
#include "grpcpp/security/credentials.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/reserved_ports.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {

struct GatewayOptions {
  // Folder with certificates, see certificates.h; empty: --insecure.
  std::string tls_dir;
  int workers = 2;
  size_t media_ports = 64;
  // In the form of proto/config/v1/config.proto, such as "limits { sessions: 3 }".
  std::string config;
  // Of --crypto-engine; empty: the gateway chooses.
  std::string crypto_engine;
  // Whether participants may call, on a port of their own.
  bool signalling = false;
  // Where participants may come over QUIC, "127.0.0.1:0" for any port; empty: nowhere. Needs
  // tls_dir.
  std::string quic_listen;
  // Others, as they are typed.
  std::vector<std::string> flags;
};

// Where the build put the binary; a test starts in the folder that this is relative to.
inline constexpr char kGatewayBinary[] = "gateway/sluice_gateway";

// A channel of its own (connections are not shared, so that their number can be counted).
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address,
                                           std::shared_ptr<grpc::ChannelCredentials> credentials);

// The real daemon, started on ports that nobody else uses; killed with the object.
class GatewayProcess {
 public:
  // Returns once the gateway says that it serves; otherwise the error holds what it wrote.
  static absl::StatusOr<std::unique_ptr<GatewayProcess>> Start(const GatewayOptions& options);

  // Where it listens for controllers, "127.0.0.1:12345".
  const std::string& address() const { return address_; }
  // Where it listens for participants, as its log says; empty where it does not.
  std::string signalling_address() const;
  // Where it listens for participants over QUIC, as its ready file says; empty where it does not.
  const std::string& quic_address() const { return quic_address_; }
  // For a controller of its authority, if it has one.
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  const ReservedPorts& media_ports() const { return ports_; }

  // Open file descriptors, as the kernel counts them.
  size_t CountDescriptors() const;
  // Bytes of memory that it has in use, as the kernel counts them.
  size_t ResidentBytes() const;
  // What it logged so far.
  std::string Log() const { return child_->StderrText(); }

  void Signal(int signal) { child_->Signal(signal); }
  std::optional<int> Wait(Deadline deadline) { return child_->Wait(deadline); }
  // SIGTERM, and the exit code; nothing when it does not stop.
  std::optional<int> Stop();

 private:
  explicit GatewayProcess(ReservedPorts ports) : ports_(std::move(ports)) {}

  ScratchFolder folder_;
  ReservedPorts ports_;
  std::unique_ptr<ChildProcess> child_;
  std::string address_;
  std::string quic_address_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace sluice

#endif  // TESTS_E2E_GATEWAY_PROCESS_H_

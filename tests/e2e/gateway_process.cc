#include "tests/e2e/gateway_process.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/support/channel_arguments.h"
#include "tests/e2e/awaited_file.h"
#include "tests/e2e/certificates.h"

namespace sluice {
namespace {

// What an operator does before starting a daemon with thousands of sockets; children inherit it.
void RaiseDescriptorLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

}  // namespace

std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address,
                                           std::shared_ptr<grpc::ChannelCredentials> credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address, std::move(credentials), arguments);
}

absl::StatusOr<std::unique_ptr<GatewayProcess>> GatewayProcess::Start(
    const GatewayOptions& options) {
  RaiseDescriptorLimit();
  absl::StatusOr<ReservedPorts> ports = ReservedPorts::Reserve(options.media_ports);
  if (!ports.ok()) {
    return ports.status();
  }
  auto gateway = std::unique_ptr<GatewayProcess>(new GatewayProcess(*std::move(ports)));
  const ScratchFolder& folder = gateway->folder_;
  AwaitedFile ready(folder.path(), "ready");
  std::vector<std::string> argv = {
      kGatewayBinary,
      "--listen=127.0.0.1:0",
      absl::StrCat("--media-ports=", gateway->ports_.first(), "-", gateway->ports_.last()),
      absl::StrCat("--workers=", options.workers),
      absl::StrCat("--ready-file=", ready.path()),
      options.tls_dir.empty() ? "--insecure" : absl::StrCat("--tls-dir=", options.tls_dir),
  };
  if (!options.config.empty()) {
    argv.push_back(absl::StrCat("--config=", folder.Write("gateway.config", options.config)));
  }
  if (!options.crypto_engine.empty()) {
    argv.push_back(absl::StrCat("--crypto-engine=", options.crypto_engine));
  }
  if (options.signalling) {
    argv.push_back("--signalling-listen=127.0.0.1:0");
  }
  if (!options.quic_listen.empty()) {
    argv.push_back(absl::StrCat("--quic-listen=", options.quic_listen));
  }
  argv.insert(argv.end(), options.flags.begin(), options.flags.end());
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(std::move(argv));
  if (!child.ok()) {
    return child.status();
  }
  gateway->child_ = *std::move(child);
  absl::StatusOr<std::string> said = ready.Await(*gateway->child_, Deadline::Generous());
  if (!said.ok()) {
    return said.status();
  }
  const std::vector<std::string> lines = absl::StrSplit(*said, '\n');
  gateway->address_ = lines.front();
  if (lines.size() > 1) {
    gateway->quic_address_ = std::string(absl::StripPrefix(lines[1], "quic "));
  }
  gateway->channel_ =
      OpenChannel(gateway->address_, options.tls_dir.empty() ? grpc::InsecureChannelCredentials()
                                                             : ClientCredentials(options.tls_dir));
  return gateway;
}

std::string GatewayProcess::signalling_address() const {
  // In the line that it writes before it says that it is ready.
  constexpr absl::string_view kKey = " signalling=";
  const std::string log = Log();
  const size_t begin = log.find(kKey);
  if (begin == std::string::npos) {
    return "";
  }
  const std::string rest = log.substr(begin + kKey.size());
  const std::string address = rest.substr(0, rest.find(' '));
  return address == "off" ? "" : address;
}

size_t GatewayProcess::CountDescriptors() const {
  const std::filesystem::directory_iterator descriptors(
      absl::StrCat("/proc/", child_->pid(), "/fd"));
  return static_cast<size_t>(std::distance(begin(descriptors), end(descriptors)));
}

size_t GatewayProcess::ResidentBytes() const {
  // The second number, in pages (proc(5)).
  const std::vector<std::string> pages =
      absl::StrSplit(ReadFileOrEmpty(absl::StrCat("/proc/", child_->pid(), "/statm")), ' ');
  size_t resident = 0;
  return pages.size() > 1 && absl::SimpleAtoi(pages[1], &resident)
             ? resident * static_cast<size_t>(sysconf(_SC_PAGESIZE))
             : 0;
}

std::optional<int> GatewayProcess::Stop() {
  // The gateway waits some seconds for its clients to hang up, and gRPC's C++ client hears of that
  // only while it waits for an answer.
  channel_.reset();
  child_->Signal(SIGTERM);
  return child_->Wait(Deadline::Generous());
}

}  // namespace sluice

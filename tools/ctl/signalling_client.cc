#include "tools/ctl/signalling_client.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tools/ctl/pki/pki_folder.h"
#include "tools/ctl/transport_text.h"

namespace sluice {
namespace {

using ::sluice::signalling::v1::SignallingService;

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(
    const SignallingOptions& options, const std::string& host) {
  if (options.insecure) {
    if (!IsLoopbackHost(host)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--insecure is for a gateway on this machine; anybody on the way to '", host,
                       "' could take the token"));
    }
    return grpc::InsecureChannelCredentials();
  }
  std::string folder = options.tls_dir;
  if (folder.empty()) {
    absl::StatusOr<std::string> default_folder = DefaultPkiFolder();
    if (!default_folder.ok()) return default_folder.status();
    folder = *std::move(default_folder);
  }
  absl::StatusOr<std::string> authority = ReadAuthorityCertificate(folder);
  if (!authority.ok()) return authority.status();
  grpc::SslCredentialsOptions ssl;
  ssl.pem_root_certs = *std::move(authority);
  return grpc::SslCredentials(ssl);
}

}  // namespace

SignallingClient::SignallingClient(std::unique_ptr<Stub> stub, const SignallingOptions& options)
    : stub_(std::move(stub)),
      authorization_(absl::StrCat("Bearer ", options.token)),
      timeout_(options.timeout) {}

absl::StatusOr<std::unique_ptr<SignallingClient>> SignallingClient::Create(
    const SignallingOptions& options) {
  const absl::StatusOr<gateway::v1::TransportAddress> address = SplitHostPort(options.target);
  if (!address.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--target: ", address.status().message()));
  }
  auto credentials = Credentials(options, address->ip());
  if (!credentials.ok()) return credentials.status();
  // gRPC would write its own lines on stderr; what matters is in the status of the call.
  setenv("GRPC_VERBOSITY", "NONE", /*replace=*/0);
  grpc::ChannelArguments arguments;
  // A proxy of the environment is for the web, not for a gateway.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  auto channel =
      grpc::CreateCustomChannel(FormatTransportAddress(*address), *credentials, arguments);
  return std::unique_ptr<SignallingClient>(
      new SignallingClient(SignallingService::NewStub(channel), options));
}

void SignallingClient::Prepare(grpc::ClientContext& context, bool deadline) const {
  context.AddMetadata("authorization", authorization_);
  if (deadline) {
    context.set_deadline(absl::ToChronoTime(absl::Now() + timeout_));
  }
}

}  // namespace sluice

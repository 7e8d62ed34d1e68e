#include "tools/ctl/gateway_client.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tools/ctl/pki/pki_folder.h"
#include "tools/ctl/transport_text.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::GatewayService;

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(
    const ConnectionOptions& options, const std::string& host, absl::Time now) {
  if (options.insecure) {
    if (!IsLoopbackHost(host)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--insecure is for a gateway on this machine; '", host,
                       "' needs certificates (--tls-dir)"));
    }
    return grpc::InsecureChannelCredentials();
  }
  std::string folder = options.tls_dir;
  if (folder.empty()) {
    absl::StatusOr<std::string> default_folder = DefaultPkiFolder();
    if (!default_folder.ok()) return default_folder.status();
    folder = *std::move(default_folder);
  }
  const absl::StatusOr<ClientPki> pki = ReadClientPki(folder, now);
  if (!pki.ok()) return pki.status();
  grpc::SslCredentialsOptions ssl;
  ssl.pem_root_certs = pki->authority_certificate;
  ssl.pem_cert_chain = pki->client.certificate;
  ssl.pem_private_key = pki->client.private_key;
  return grpc::SslCredentials(ssl);
}

}  // namespace

GatewayClient::GatewayClient(std::unique_ptr<Stub> stub, absl::Duration timeout)
    : stub_(std::move(stub)), timeout_(timeout) {}

absl::StatusOr<std::unique_ptr<GatewayClient>> GatewayClient::Create(
    const ConnectionOptions& options, absl::Time now) {
  const absl::StatusOr<gateway::v1::TransportAddress> address = SplitHostPort(options.address);
  if (!address.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--gateway: ", address.status().message()));
  }
  auto credentials = Credentials(options, address->ip(), now);
  if (!credentials.ok()) return credentials.status();
  // gRPC would write its own lines on stderr; what matters is in the status of the call.
  setenv("GRPC_VERBOSITY", "NONE", /*replace=*/0);
  grpc::ChannelArguments arguments;
  // A proxy of the environment is for the web, not for a gateway.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  auto channel =
      grpc::CreateCustomChannel(FormatTransportAddress(*address), *credentials, arguments);
  return std::unique_ptr<GatewayClient>(
      new GatewayClient(GatewayService::NewStub(channel), options.timeout));
}

void GatewayClient::SetDeadline(grpc::ClientContext& context) const {
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout_));
}

}  // namespace sluice

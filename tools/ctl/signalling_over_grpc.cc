#include "tools/ctl/signalling_over_grpc.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tools/ctl/signalling_trust.h"
#include "tools/ctl/transport_text.h"

namespace sluice {

namespace v1 = ::sluice::signalling::v1;

SignallingOverGrpc::SignallingOverGrpc(std::unique_ptr<Stub> stub, const SignallingOptions& options)
    : stub_(std::move(stub)),
      authorization_(absl::StrCat("Bearer ", options.token)),
      timeout_(options.timeout) {}

absl::StatusOr<std::unique_ptr<SignallingClient>> SignallingOverGrpc::Create(
    const SignallingOptions& options) {
  const absl::StatusOr<gateway::v1::TransportAddress> address = SplitHostPort(options.target);
  if (!address.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--target: ", address.status().message()));
  }
  const absl::StatusOr<std::string> authority = ReadTrustedAuthority(options, address->ip());
  if (!authority.ok()) return authority.status();
  auto credentials = grpc::InsecureChannelCredentials();
  if (!options.insecure) {
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = *authority;
    credentials = grpc::SslCredentials(ssl);
  }
  // gRPC would write its own lines on stderr; what matters is in the status of the call.
  setenv("GRPC_VERBOSITY", "NONE", /*replace=*/0);
  grpc::ChannelArguments arguments;
  // A proxy of the environment is for the web, not for a gateway.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  auto channel =
      grpc::CreateCustomChannel(FormatTransportAddress(*address), credentials, arguments);
  return std::unique_ptr<SignallingClient>(
      new SignallingOverGrpc(v1::SignallingService::NewStub(channel), options));
}

template <typename Request, typename Response>
grpc::Status SignallingOverGrpc::Call(grpc::Status (Stub::*method)(grpc::ClientContext*,
                                                                   const Request&, Response*),
                                      const Request& request, Response& response) {
  grpc::ClientContext context;
  Prepare(context, /*deadline=*/true);
  return ((*stub_).*method)(&context, request, &response);
}

grpc::Status SignallingOverGrpc::Join(const v1::JoinRequest& request, v1::JoinResponse& response) {
  return Call(&Stub::Join, request, response);
}

grpc::Status SignallingOverGrpc::UpdateLeg(const v1::UpdateLegRequest& request,
                                           v1::UpdateLegResponse& response) {
  return Call(&Stub::UpdateLeg, request, response);
}

grpc::Status SignallingOverGrpc::Leave(const v1::LeaveRequest& request,
                                       v1::LeaveResponse& response) {
  return Call(&Stub::Leave, request, response);
}

grpc::Status SignallingOverGrpc::Ping(const v1::PingRequest& request, v1::PingResponse& response) {
  return Call(&Stub::Ping, request, response);
}

grpc::Status SignallingOverGrpc::WatchEvents(const v1::WatchEventsRequest& request,
                                             EventHandler handler) {
  grpc::ClientContext context;
  Prepare(context, /*deadline=*/false);
  const auto stream = stub_->WatchEvents(&context, request);
  v1::WatchEventsResponse response;
  while (stream->Read(&response)) handler(response);
  return stream->Finish();
}

void SignallingOverGrpc::Prepare(grpc::ClientContext& context, bool deadline) const {
  context.AddMetadata("authorization", authorization_);
  if (deadline) {
    context.set_deadline(absl::ToChronoTime(absl::Now() + timeout_));
  }
}

}  // namespace sluice

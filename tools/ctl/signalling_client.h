#ifndef TOOLS_CTL_SIGNALLING_CLIENT_H_
#define TOOLS_CTL_SIGNALLING_CLIENT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/signalling/v1/signalling_service.grpc.pb.h"

namespace sluice {

struct SignallingOptions {
  // "host:port".
  std::string target;
  // Secret.
  std::string token;
  // Folder with ca.crt, which has to have signed the gateway's certificate. Participants have none.
  std::string tls_dir;
  // Anybody on the way could take the token; refused unless the gateway is on this machine.
  bool insecure = false;
  // Of each call, except streams.
  absl::Duration timeout = absl::Seconds(10);
};

// A participant's connection to one gateway.
class SignallingClient {
 public:
  using Stub = signalling::v1::SignallingService::Stub;

  // Says what is wrong with the options; whether there is a gateway shows at the first call.
  static absl::StatusOr<std::unique_ptr<SignallingClient>> Create(const SignallingOptions& options);

  // client.Call(&SignallingClient::Stub::Leave, request, response)
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    Prepare(context, /*deadline=*/true);
    return ((*stub_).*method)(&context, request, &response);
  }

  // Lives until the stream ends or `context` is cancelled.
  std::unique_ptr<grpc::ClientReader<signalling::v1::WatchEventsResponse>> WatchEvents(
      grpc::ClientContext& context, const signalling::v1::WatchEventsRequest& request) {
    Prepare(context, /*deadline=*/false);
    return stub_->WatchEvents(&context, request);
  }

 private:
  SignallingClient(std::unique_ptr<Stub> stub, const SignallingOptions& options);

  void Prepare(grpc::ClientContext& context, bool deadline) const;

  std::unique_ptr<Stub> stub_;
  std::string authorization_;
  absl::Duration timeout_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_SIGNALLING_CLIENT_H_

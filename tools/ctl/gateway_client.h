#ifndef TOOLS_CTL_GATEWAY_CLIENT_H_
#define TOOLS_CTL_GATEWAY_CLIENT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/gateway/v1/gateway_service.grpc.pb.h"

namespace sluice {

struct ConnectionOptions {
  // "host:port".
  std::string address;
  // Folder with client.crt, client.key and ca.crt.
  std::string tls_dir;
  // Neither encrypted nor authenticated; refused unless the gateway is on this machine.
  bool insecure = false;
  // Of each call, except streams.
  absl::Duration timeout = absl::Seconds(10);
};

// A connection to one gateway's control API.
class GatewayClient {
 public:
  using Stub = gateway::v1::GatewayService::Stub;

  // Says what is wrong with the options; whether there is a gateway shows at the first call. `now`
  // is compared with the end of the client's certificate.
  static absl::StatusOr<std::unique_ptr<GatewayClient>> Create(const ConnectionOptions& options,
                                                               absl::Time now);

  // client.Call(&GatewayClient::Stub::GetNode, request, response)
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    SetDeadline(context);
    return ((*stub_).*method)(&context, request, &response);
  }

  // These live until the stream ends or `context` is cancelled.
  std::unique_ptr<grpc::ClientReader<gateway::v1::WatchStatsResponse>> WatchStats(
      grpc::ClientContext& context, const gateway::v1::WatchStatsRequest& request) {
    return stub_->WatchStats(&context, request);
  }
  std::unique_ptr<grpc::ClientReader<gateway::v1::WatchEventsResponse>> WatchEvents(
      grpc::ClientContext& context, const gateway::v1::WatchEventsRequest& request) {
    return stub_->WatchEvents(&context, request);
  }

 private:
  GatewayClient(std::unique_ptr<Stub> stub, absl::Duration timeout);

  void SetDeadline(grpc::ClientContext& context) const;

  std::unique_ptr<Stub> stub_;
  absl::Duration timeout_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_GATEWAY_CLIENT_H_

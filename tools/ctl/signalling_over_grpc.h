#ifndef TOOLS_CTL_SIGNALLING_OVER_GRPC_H_
#define TOOLS_CTL_SIGNALLING_OVER_GRPC_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/signalling/v1/signalling_service.grpc.pb.h"
#include "tools/ctl/signalling_client.h"

namespace sluice {

// A participant over gRPC.
class SignallingOverGrpc : public SignallingClient {
 public:
  // Says what is wrong with the options.
  static absl::StatusOr<std::unique_ptr<SignallingClient>> Create(const SignallingOptions& options);

  grpc::Status Join(const signalling::v1::JoinRequest& request,
                    signalling::v1::JoinResponse& response) override;
  grpc::Status UpdateLeg(const signalling::v1::UpdateLegRequest& request,
                         signalling::v1::UpdateLegResponse& response) override;
  grpc::Status Leave(const signalling::v1::LeaveRequest& request,
                     signalling::v1::LeaveResponse& response) override;
  grpc::Status Ping(const signalling::v1::PingRequest& request,
                    signalling::v1::PingResponse& response) override;
  grpc::Status WatchEvents(const signalling::v1::WatchEventsRequest& request,
                           EventHandler handler) override;

 private:
  using Stub = signalling::v1::SignallingService::Stub;

  SignallingOverGrpc(std::unique_ptr<Stub> stub, const SignallingOptions& options);

  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response);
  void Prepare(grpc::ClientContext& context, bool deadline) const;

  std::unique_ptr<Stub> stub_;
  std::string authorization_;
  absl::Duration timeout_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_SIGNALLING_OVER_GRPC_H_

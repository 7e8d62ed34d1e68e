#ifndef GATEWAY_SIGNALLING_SIGNALLING_GRPC_SERVICE_H_
#define GATEWAY_SIGNALLING_SIGNALLING_GRPC_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "gateway/signalling/participant_calls.h"
#include "proto/signalling/v1/signalling_service.grpc.pb.h"

namespace sluice {

// Brings the calls of participants in over gRPC; the token is the metadata `authorization`. Any
// thread.
class SignallingGrpcService final : public signalling::v1::SignallingService::Service {
 public:
  // `calls` outlives the service.
  explicit SignallingGrpcService(ParticipantCalls& calls) : calls_(calls) {}

  grpc::Status Join(grpc::ServerContext* context, const signalling::v1::JoinRequest* request,
                    signalling::v1::JoinResponse* response) override;
  grpc::Status UpdateLeg(grpc::ServerContext* context,
                         const signalling::v1::UpdateLegRequest* request,
                         signalling::v1::UpdateLegResponse* response) override;
  grpc::Status Leave(grpc::ServerContext* context, const signalling::v1::LeaveRequest* request,
                     signalling::v1::LeaveResponse* response) override;
  grpc::Status WatchEvents(
      grpc::ServerContext* context, const signalling::v1::WatchEventsRequest* request,
      grpc::ServerWriter<signalling::v1::WatchEventsResponse>* writer) override;
  grpc::Status Ping(grpc::ServerContext* context, const signalling::v1::PingRequest* request,
                    signalling::v1::PingResponse* response) override;

 private:
  // Authenticates, then calls.
  template <typename Request, typename Response>
  grpc::Status Call(grpc::ServerContext& context,
                    grpc::Status (ParticipantCalls::*method)(const ParticipantClaims&,
                                                             const Request&, Response&),
                    const Request& request, Response& response);

  ParticipantCalls& calls_;
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_SIGNALLING_GRPC_SERVICE_H_

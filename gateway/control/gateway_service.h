#ifndef GATEWAY_CONTROL_GATEWAY_SERVICE_H_
#define GATEWAY_CONTROL_GATEWAY_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "base/random_source.h"
#include "gateway/control/control_room.h"
#include "gateway/control/node_report.h"
#include "gateway/session/session_spec.h"
#include "gateway/tokens/token_authority.h"
#include "proto/gateway/v1/gateway_service.grpc.pb.h"

namespace sluice {

// GatewayService as proto/gateway/v1/gateway_service.proto describes it: turns requests into calls
// of workers and their answers into responses. Any thread.
class GatewayService final : public gateway::v1::GatewayService::Service {
 public:
  // `room`, `tokens` and `random` outlive the service. `random` makes keys: it is cryptographically
  // strong outside of tests, and for any thread.
  GatewayService(ControlRoom& room, TokenAuthority& tokens, RandomSource& random,
                 NodeSources sources);

  grpc::Status CreateSession(grpc::ServerContext* context,
                             const gateway::v1::CreateSessionRequest* request,
                             gateway::v1::CreateSessionResponse* response) override;
  grpc::Status GetSession(grpc::ServerContext* context,
                          const gateway::v1::GetSessionRequest* request,
                          gateway::v1::GetSessionResponse* response) override;
  grpc::Status ListSessions(grpc::ServerContext* context,
                            const gateway::v1::ListSessionsRequest* request,
                            gateway::v1::ListSessionsResponse* response) override;
  grpc::Status UpdateSession(grpc::ServerContext* context,
                             const gateway::v1::UpdateSessionRequest* request,
                             gateway::v1::UpdateSessionResponse* response) override;
  grpc::Status DeleteSession(grpc::ServerContext* context,
                             const gateway::v1::DeleteSessionRequest* request,
                             gateway::v1::DeleteSessionResponse* response) override;
  grpc::Status AddLeg(grpc::ServerContext* context, const gateway::v1::AddLegRequest* request,
                      gateway::v1::AddLegResponse* response) override;
  grpc::Status UpdateLeg(grpc::ServerContext* context, const gateway::v1::UpdateLegRequest* request,
                         gateway::v1::UpdateLegResponse* response) override;
  grpc::Status RemoveLeg(grpc::ServerContext* context, const gateway::v1::RemoveLegRequest* request,
                         gateway::v1::RemoveLegResponse* response) override;
  grpc::Status SetForwarding(grpc::ServerContext* context,
                             const gateway::v1::SetForwardingRequest* request,
                             gateway::v1::SetForwardingResponse* response) override;
  grpc::Status GetStats(grpc::ServerContext* context, const gateway::v1::GetStatsRequest* request,
                        gateway::v1::GetStatsResponse* response) override;
  grpc::Status WatchStats(grpc::ServerContext* context,
                          const gateway::v1::WatchStatsRequest* request,
                          grpc::ServerWriter<gateway::v1::WatchStatsResponse>* writer) override;
  grpc::Status WatchEvents(grpc::ServerContext* context,
                           const gateway::v1::WatchEventsRequest* request,
                           grpc::ServerWriter<gateway::v1::WatchEventsResponse>* writer) override;
  grpc::Status GetNode(grpc::ServerContext* context, const gateway::v1::GetNodeRequest* request,
                       gateway::v1::GetNodeResponse* response) override;
  grpc::Status CreateParticipantToken(
      grpc::ServerContext* context, const gateway::v1::CreateParticipantTokenRequest* request,
      gateway::v1::CreateParticipantTokenResponse* response) override;
  grpc::Status RevokeParticipantToken(
      grpc::ServerContext* context, const gateway::v1::RevokeParticipantTokenRequest* request,
      gateway::v1::RevokeParticipantTokenResponse* response) override;

 private:
  // A snapshot that a call gave back.
  void FillSession(const SessionSnapshot& snapshot, gateway::v1::Session& out);

  ControlRoom& room_;
  TokenAuthority& tokens_;
  RandomSource& random_;
  const NodeSources sources_;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_GATEWAY_SERVICE_H_

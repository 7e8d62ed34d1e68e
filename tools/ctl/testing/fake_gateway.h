#ifndef TOOLS_CTL_TESTING_FAKE_GATEWAY_H_
#define TOOLS_CTL_TESTING_FAKE_GATEWAY_H_

#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "proto/gateway/v1/gateway_service.grpc.pb.h"

namespace sluice {

// A control API on a free port of loopback that answers each method with what it was told to, and
// remembers what it was asked.
class FakeGateway final : public gateway::v1::GatewayService::Service {
 public:
  // Without credentials it is insecure.
  explicit FakeGateway(std::shared_ptr<grpc::ServerCredentials> credentials = nullptr);
  ~FakeGateway() override;

  // "127.0.0.1:port".
  const std::string& address() const { return address_; }

  // The answers of a method to the calls to come, in order; the last one stays. Without any, a call
  // is answered by an empty message.
  void Answer(const std::string& method, const google::protobuf::Message& response);
  void Fail(const std::string& method, const grpc::Status& status);
  // What a stream of events, or of statistics, carries before it ends.
  void Stream(std::vector<gateway::v1::WatchEventsResponse> responses);
  void StreamStats(std::vector<gateway::v1::WatchStatsResponse> responses);

  // The requests to a method so far, as protobuf text on one line each.
  std::vector<std::string> Requests(const std::string& method) const;

 private:
  struct Reply {
    grpc::Status status;
    std::string message;
  };

  grpc::Status Handle(const std::string& method, const google::protobuf::Message& request,
                      google::protobuf::Message* response);

  grpc::Status CreateSession(grpc::ServerContext*, const gateway::v1::CreateSessionRequest*,
                             gateway::v1::CreateSessionResponse*) override;
  grpc::Status GetSession(grpc::ServerContext*, const gateway::v1::GetSessionRequest*,
                          gateway::v1::GetSessionResponse*) override;
  grpc::Status ListSessions(grpc::ServerContext*, const gateway::v1::ListSessionsRequest*,
                            gateway::v1::ListSessionsResponse*) override;
  grpc::Status UpdateSession(grpc::ServerContext*, const gateway::v1::UpdateSessionRequest*,
                             gateway::v1::UpdateSessionResponse*) override;
  grpc::Status DeleteSession(grpc::ServerContext*, const gateway::v1::DeleteSessionRequest*,
                             gateway::v1::DeleteSessionResponse*) override;
  grpc::Status AddLeg(grpc::ServerContext*, const gateway::v1::AddLegRequest*,
                      gateway::v1::AddLegResponse*) override;
  grpc::Status UpdateLeg(grpc::ServerContext*, const gateway::v1::UpdateLegRequest*,
                         gateway::v1::UpdateLegResponse*) override;
  grpc::Status RemoveLeg(grpc::ServerContext*, const gateway::v1::RemoveLegRequest*,
                         gateway::v1::RemoveLegResponse*) override;
  grpc::Status SetForwarding(grpc::ServerContext*, const gateway::v1::SetForwardingRequest*,
                             gateway::v1::SetForwardingResponse*) override;
  grpc::Status GetStats(grpc::ServerContext*, const gateway::v1::GetStatsRequest*,
                        gateway::v1::GetStatsResponse*) override;
  grpc::Status GetNode(grpc::ServerContext*, const gateway::v1::GetNodeRequest*,
                       gateway::v1::GetNodeResponse*) override;
  grpc::Status CreateParticipantToken(grpc::ServerContext*,
                                      const gateway::v1::CreateParticipantTokenRequest*,
                                      gateway::v1::CreateParticipantTokenResponse*) override;
  grpc::Status RevokeParticipantToken(grpc::ServerContext*,
                                      const gateway::v1::RevokeParticipantTokenRequest*,
                                      gateway::v1::RevokeParticipantTokenResponse*) override;
  grpc::Status WatchStats(grpc::ServerContext*, const gateway::v1::WatchStatsRequest*,
                          grpc::ServerWriter<gateway::v1::WatchStatsResponse>*) override;
  grpc::Status WatchEvents(grpc::ServerContext*, const gateway::v1::WatchEventsRequest*,
                           grpc::ServerWriter<gateway::v1::WatchEventsResponse>*) override;

  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Reply>> replies_;
  std::map<std::string, std::vector<std::string>> requests_;
  std::vector<gateway::v1::WatchEventsResponse> stream_;
  std::vector<gateway::v1::WatchStatsResponse> stats_stream_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_TESTING_FAKE_GATEWAY_H_

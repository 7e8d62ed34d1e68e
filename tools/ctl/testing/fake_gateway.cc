#include "tools/ctl/testing/fake_gateway.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace sluice {

namespace v1 = gateway::v1;

FakeGateway::FakeGateway(std::shared_ptr<grpc::ServerCredentials> credentials) {
  int port = 0;
  if (credentials == nullptr) credentials = grpc::InsecureServerCredentials();
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", std::move(credentials), &port);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  SLUICE_CHECK(server_ != nullptr && port != 0);
  address_ = absl::StrCat("127.0.0.1:", port);
}

FakeGateway::~FakeGateway() { server_->Shutdown(); }

void FakeGateway::Answer(const std::string& method, const google::protobuf::Message& response) {
  const std::lock_guard lock(mutex_);
  replies_[method].push_back({grpc::Status::OK, response.SerializeAsString()});
}

void FakeGateway::Fail(const std::string& method, const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  replies_[method].push_back({status, ""});
}

void FakeGateway::Stream(std::vector<v1::WatchEventsResponse> responses) {
  const std::lock_guard lock(mutex_);
  stream_ = std::move(responses);
}

void FakeGateway::StreamStats(std::vector<v1::WatchStatsResponse> responses) {
  const std::lock_guard lock(mutex_);
  stats_stream_ = std::move(responses);
}

std::vector<std::string> FakeGateway::Requests(const std::string& method) const {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(method);
  return found == requests_.end() ? std::vector<std::string>() : found->second;
}

grpc::Status FakeGateway::Handle(const std::string& method,
                                 const google::protobuf::Message& request,
                                 google::protobuf::Message* response) {
  const std::lock_guard lock(mutex_);
  requests_[method].push_back(request.ShortDebugString());
  std::vector<Reply>& replies = replies_[method];
  if (replies.empty()) return grpc::Status::OK;
  const Reply reply = replies.front();
  if (replies.size() > 1) replies.erase(replies.begin());
  SLUICE_CHECK(response == nullptr || response->ParseFromString(reply.message));
  return reply.status;
}

grpc::Status FakeGateway::CreateSession(grpc::ServerContext*,
                                        const v1::CreateSessionRequest* request,
                                        v1::CreateSessionResponse* response) {
  return Handle("CreateSession", *request, response);
}

grpc::Status FakeGateway::GetSession(grpc::ServerContext*, const v1::GetSessionRequest* request,
                                     v1::GetSessionResponse* response) {
  return Handle("GetSession", *request, response);
}

grpc::Status FakeGateway::ListSessions(grpc::ServerContext*, const v1::ListSessionsRequest* request,
                                       v1::ListSessionsResponse* response) {
  return Handle("ListSessions", *request, response);
}

grpc::Status FakeGateway::UpdateSession(grpc::ServerContext*,
                                        const v1::UpdateSessionRequest* request,
                                        v1::UpdateSessionResponse* response) {
  return Handle("UpdateSession", *request, response);
}

grpc::Status FakeGateway::DeleteSession(grpc::ServerContext*,
                                        const v1::DeleteSessionRequest* request,
                                        v1::DeleteSessionResponse* response) {
  return Handle("DeleteSession", *request, response);
}

grpc::Status FakeGateway::AddLeg(grpc::ServerContext*, const v1::AddLegRequest* request,
                                 v1::AddLegResponse* response) {
  return Handle("AddLeg", *request, response);
}

grpc::Status FakeGateway::UpdateLeg(grpc::ServerContext*, const v1::UpdateLegRequest* request,
                                    v1::UpdateLegResponse* response) {
  return Handle("UpdateLeg", *request, response);
}

grpc::Status FakeGateway::RemoveLeg(grpc::ServerContext*, const v1::RemoveLegRequest* request,
                                    v1::RemoveLegResponse* response) {
  return Handle("RemoveLeg", *request, response);
}

grpc::Status FakeGateway::SetForwarding(grpc::ServerContext*,
                                        const v1::SetForwardingRequest* request,
                                        v1::SetForwardingResponse* response) {
  return Handle("SetForwarding", *request, response);
}

grpc::Status FakeGateway::GetStats(grpc::ServerContext*, const v1::GetStatsRequest* request,
                                   v1::GetStatsResponse* response) {
  return Handle("GetStats", *request, response);
}

grpc::Status FakeGateway::GetNode(grpc::ServerContext*, const v1::GetNodeRequest* request,
                                  v1::GetNodeResponse* response) {
  return Handle("GetNode", *request, response);
}

grpc::Status FakeGateway::CreateParticipantToken(grpc::ServerContext*,
                                                 const v1::CreateParticipantTokenRequest* request,
                                                 v1::CreateParticipantTokenResponse* response) {
  return Handle("CreateParticipantToken", *request, response);
}

grpc::Status FakeGateway::RevokeParticipantToken(grpc::ServerContext*,
                                                 const v1::RevokeParticipantTokenRequest* request,
                                                 v1::RevokeParticipantTokenResponse* response) {
  return Handle("RevokeParticipantToken", *request, response);
}

grpc::Status FakeGateway::WatchStats(grpc::ServerContext*, const v1::WatchStatsRequest* request,
                                     grpc::ServerWriter<v1::WatchStatsResponse>* writer) {
  const grpc::Status status = Handle("WatchStats", *request, nullptr);
  std::vector<v1::WatchStatsResponse> responses;
  {
    const std::lock_guard lock(mutex_);
    responses = stats_stream_;
  }
  for (const auto& response : responses) writer->Write(response);
  return status;
}

grpc::Status FakeGateway::WatchEvents(grpc::ServerContext*, const v1::WatchEventsRequest* request,
                                      grpc::ServerWriter<v1::WatchEventsResponse>* writer) {
  const grpc::Status status = Handle("WatchEvents", *request, nullptr);
  std::vector<v1::WatchEventsResponse> responses;
  {
    const std::lock_guard lock(mutex_);
    responses = stream_;
  }
  for (const auto& response : responses) writer->Write(response);
  return status;
}

}  // namespace sluice

#include "tools/ctl/testing/fake_signalling.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"

namespace sluice {

namespace v1 = signalling::v1;

FakeSignalling::FakeSignalling(std::shared_ptr<grpc::ServerCredentials> credentials) {
  int port = 0;
  if (credentials == nullptr) credentials = grpc::InsecureServerCredentials();
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", std::move(credentials), &port);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  SLUICE_CHECK(server_ != nullptr && port != 0);
  address_ = absl::StrCat("127.0.0.1:", port);
}

FakeSignalling::~FakeSignalling() { server_->Shutdown(); }

void FakeSignalling::AnswerJoin(const v1::JoinResponse& response) {
  const std::lock_guard lock(mutex_);
  join_ = response;
}

void FakeSignalling::Fail(const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  status_ = status;
}

void FakeSignalling::Stream(std::vector<v1::WatchEventsResponse> responses) {
  const std::lock_guard lock(mutex_);
  stream_ = std::move(responses);
}

std::vector<std::string> FakeSignalling::Requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

grpc::Status FakeSignalling::Handle(const char* method, const grpc::ServerContext& context,
                                    const google::protobuf::Message& request) {
  const std::lock_guard lock(mutex_);
  const auto found = context.client_metadata().find("authorization");
  const absl::string_view authorization =
      found == context.client_metadata().end()
          ? absl::string_view("nobody")
          : absl::string_view(found->second.data(), found->second.size());
  requests_.push_back(absl::StrCat(method, " ", authorization, ": ", request.ShortDebugString()));
  return status_;
}

grpc::Status FakeSignalling::Join(grpc::ServerContext* context, const v1::JoinRequest* request,
                                  v1::JoinResponse* response) {
  const grpc::Status status = Handle("Join", *context, *request);
  const std::lock_guard lock(mutex_);
  *response = join_;
  return status;
}

grpc::Status FakeSignalling::Leave(grpc::ServerContext* context, const v1::LeaveRequest* request,
                                   v1::LeaveResponse*) {
  return Handle("Leave", *context, *request);
}

grpc::Status FakeSignalling::UpdateLeg(grpc::ServerContext* context,
                                       const v1::UpdateLegRequest* request,
                                       v1::UpdateLegResponse* response) {
  response->mutable_leg()->set_leg_id("updated");
  return Handle("UpdateLeg", *context, *request);
}

grpc::Status FakeSignalling::Ping(grpc::ServerContext* context, const v1::PingRequest* request,
                                  v1::PingResponse* response) {
  response->set_payload(request->payload());
  response->mutable_server_time()->set_seconds(1'700'000'000);
  return Handle("Ping", *context, *request);
}

grpc::Status FakeSignalling::WatchEvents(grpc::ServerContext* context,
                                         const v1::WatchEventsRequest* request,
                                         grpc::ServerWriter<v1::WatchEventsResponse>* writer) {
  const grpc::Status status = Handle("WatchEvents", *context, *request);
  std::vector<v1::WatchEventsResponse> responses;
  {
    const std::lock_guard lock(mutex_);
    responses = stream_;
  }
  for (const auto& response : responses) writer->Write(response);
  return status;
}

}  // namespace sluice

#include "tools/ctl/testing/fake_quic_signalling.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"

namespace sluice {

namespace v1 = signalling::v1;

namespace {

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

template <typename Request>
std::string TextOf(const std::string& bytes) {
  Request request;
  return request.ParseFromString(bytes) ? request.ShortDebugString() : "no message";
}

}  // namespace

void FakeQuicSignalling::AnswerJoin(const v1::JoinResponse& response) {
  const absl::MutexLock lock(&mutex_);
  join_ = response;
}

void FakeQuicSignalling::Fail(const google::rpc::Status& status) {
  const absl::MutexLock lock(&mutex_);
  status_ = status;
}

void FakeQuicSignalling::Stream(std::vector<v1::WatchEventsResponse> responses) {
  const absl::MutexLock lock(&mutex_);
  stream_ = std::move(responses);
}

std::vector<std::string> FakeQuicSignalling::Requests() const {
  const absl::MutexLock lock(&mutex_);
  return requests_;
}

void FakeQuicSignalling::OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) {
  const absl::MutexLock lock(&mutex_);
  std::string text;
  const std::vector<std::string> messages =
      Answer(request.method, {request.message.begin(), request.message.end()}, text);
  requests_.push_back(absl::StrCat(request.method, " ", request.token, ": ", text));
  if (status_.code() == 0) {
    for (const std::string& message : messages) {
      static_cast<void>(call.Send(now, BytesOf(message)));
    }
  }
  const std::string status = status_.SerializeAsString();
  call.Finish(now, BytesOf(status));
}

std::vector<std::string> FakeQuicSignalling::Answer(absl::string_view method,
                                                    const std::string& request, std::string& text) {
  if (method == "Join") {
    text = TextOf<v1::JoinRequest>(request);
    return {join_.SerializeAsString()};
  }
  if (method == "UpdateLeg") {
    text = TextOf<v1::UpdateLegRequest>(request);
    v1::UpdateLegResponse response;
    response.mutable_leg()->set_leg_id("updated");
    return {response.SerializeAsString()};
  }
  if (method == "Leave") {
    text = TextOf<v1::LeaveRequest>(request);
    return {v1::LeaveResponse().SerializeAsString()};
  }
  if (method == "Ping") {
    text = TextOf<v1::PingRequest>(request);
    v1::PingResponse response;
    response.mutable_server_time()->set_seconds(1'700'000'000);
    return {response.SerializeAsString()};
  }
  text = TextOf<v1::WatchEventsRequest>(request);
  std::vector<std::string> messages;
  for (const v1::WatchEventsResponse& response : stream_) {
    messages.push_back(response.SerializeAsString());
  }
  return messages;
}

}  // namespace sluice

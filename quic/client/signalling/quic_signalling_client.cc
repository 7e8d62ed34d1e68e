#include "quic/client/signalling/quic_signalling_client.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/time_delta.h"

namespace sluice {

namespace v1 = ::sluice::signalling::v1;

// ---- Events. ----

bool QuicEventStream::Read(v1::WatchEventsResponse& response) {
  std::string message;
  if (!broken_.ok() || !stream_->Read(message)) return false;
  if (response.ParseFromString(message)) return true;
  broken_ = absl::InternalError("the server sent an event that is none");
  stream_->Cancel();
  return false;
}

absl::Status QuicEventStream::status() const { return broken_.ok() ? stream_->status() : broken_; }

// ---- Calls. ----

absl::StatusOr<std::unique_ptr<QuicSignallingClient>> QuicSignallingClient::Start(Options options) {
  auto client = RpcClientThread::Start(options.connection);
  if (!client.ok()) return client.status();
  return std::unique_ptr<QuicSignallingClient>(
      new QuicSignallingClient(*std::move(client), std::move(options)));
}

template <typename Response, typename Request>
absl::StatusOr<Response> QuicSignallingClient::Call(absl::string_view method,
                                                    const Request& request, RpcReplay replay,
                                                    WaitingTime* took) {
  const RpcAnswer answer = client_->Call({.method = std::string(method),
                                          .token = token_,
                                          .message = request.SerializeAsString(),
                                          .timeout = timeout_,
                                          .replay = replay});
  if (took != nullptr) *took = answer.took;
  if (!answer.status.ok()) return answer.status;
  Response response;
  if (!response.ParseFromString(answer.message)) {
    return absl::InternalError(absl::StrCat("the server's answer to ", method, " is none"));
  }
  return response;
}

absl::StatusOr<v1::JoinResponse> QuicSignallingClient::Join(const v1::JoinRequest& request,
                                                            WaitingTime* took) {
  return Call<v1::JoinResponse>("Join", request, RpcReplay::kHarmful, took);
}

absl::StatusOr<v1::UpdateLegResponse> QuicSignallingClient::UpdateLeg(
    const v1::UpdateLegRequest& request, WaitingTime* took) {
  return Call<v1::UpdateLegResponse>("UpdateLeg", request, RpcReplay::kHarmful, took);
}

absl::StatusOr<v1::LeaveResponse> QuicSignallingClient::Leave(const v1::LeaveRequest& request,
                                                              WaitingTime* took) {
  return Call<v1::LeaveResponse>("Leave", request, RpcReplay::kHarmful, took);
}

absl::StatusOr<v1::PingResponse> QuicSignallingClient::Ping(const v1::PingRequest& request,
                                                            WaitingTime* took) {
  return Call<v1::PingResponse>("Ping", request, RpcReplay::kHarmless, took);
}

std::unique_ptr<QuicEventStream> QuicSignallingClient::WatchEvents(
    const v1::WatchEventsRequest& request) {
  return std::make_unique<QuicEventStream>(client_->Stream(
      {.method = "WatchEvents", .token = token_, .message = request.SerializeAsString()}));
}

}  // namespace sluice

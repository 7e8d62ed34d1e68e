#ifndef TOOLS_CTL_TESTING_FAKE_SIGNALLING_H_
#define TOOLS_CTL_TESTING_FAKE_SIGNALLING_H_

#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "proto/signalling/v1/signalling_service.grpc.pb.h"

namespace sluice {

// What participants reach, on a free port of loopback: answers Join with what it was told to, and
// remembers what it was asked with which authorization.
class FakeSignalling final : public signalling::v1::SignallingService::Service {
 public:
  // Without credentials it is insecure.
  explicit FakeSignalling(std::shared_ptr<grpc::ServerCredentials> credentials = nullptr);
  ~FakeSignalling() override;

  // "127.0.0.1:port".
  const std::string& address() const { return address_; }

  void AnswerJoin(const signalling::v1::JoinResponse& response);
  // All calls fail with it from now on.
  void Fail(const grpc::Status& status);
  // What a stream of events carries before it ends.
  void Stream(std::vector<signalling::v1::WatchEventsResponse> responses);

  // "Join <authorization>: <request as protobuf text>", in order.
  std::vector<std::string> Requests() const;

 private:
  grpc::Status Handle(const char* method, const grpc::ServerContext& context,
                      const google::protobuf::Message& request);

  grpc::Status Join(grpc::ServerContext*, const signalling::v1::JoinRequest*,
                    signalling::v1::JoinResponse*) override;
  grpc::Status Leave(grpc::ServerContext*, const signalling::v1::LeaveRequest*,
                     signalling::v1::LeaveResponse*) override;
  grpc::Status UpdateLeg(grpc::ServerContext*, const signalling::v1::UpdateLegRequest*,
                         signalling::v1::UpdateLegResponse*) override;
  grpc::Status Ping(grpc::ServerContext*, const signalling::v1::PingRequest*,
                    signalling::v1::PingResponse*) override;
  grpc::Status WatchEvents(grpc::ServerContext*, const signalling::v1::WatchEventsRequest*,
                           grpc::ServerWriter<signalling::v1::WatchEventsResponse>*) override;

  mutable std::mutex mutex_;
  grpc::Status status_;
  signalling::v1::JoinResponse join_;
  std::vector<signalling::v1::WatchEventsResponse> stream_;
  std::vector<std::string> requests_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_TESTING_FAKE_SIGNALLING_H_

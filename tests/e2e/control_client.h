#ifndef TESTS_E2E_CONTROL_CLIENT_H_
#define TESTS_E2E_CONTROL_CLIENT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "proto/gateway/v1/gateway_service.grpc.pb.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "tests/e2e/deadline.h"

namespace sluice {

namespace pb = ::sluice::gateway::v1;

// Verdict names with their counts; those that did not occur are not in it.
using VerdictMap = std::map<std::string, uint64_t>;

// A controller. The calls with a result fail the running test when the gateway refuses, and then
// return an empty answer; Call is for tests that expect a refusal.
class ControlClient {
 public:
  using Stub = pb::GatewayService::Stub;

  explicit ControlClient(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(pb::GatewayService::NewStub(channel)) {}

  Stub& stub() { return *stub_; }

  // Any call, as Call(&Stub::GetNode, request, &response).
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response* response) {
    grpc::ClientContext context;
    context.set_deadline(Deadline::Generous().ForGrpc());
    return (stub_.get()->*method)(&context, request, response);
  }

  pb::Session CreateSession(absl::string_view session_id, const pb::SessionConfig& config = {});
  pb::Session GetSession(absl::string_view session_id);
  pb::DeleteSessionResponse DeleteSession(absl::string_view session_id);
  pb::AddLegResponse AddLeg(absl::string_view session_id, absl::string_view leg_id,
                            const pb::LegConfig& config);
  pb::UpdateLegResponse UpdateLeg(const pb::UpdateLegRequest& request);
  pb::LegStats RemoveLeg(absl::string_view session_id, absl::string_view leg_id);
  pb::CreateParticipantTokenResponse CreateParticipantToken(absl::string_view session_id,
                                                            absl::string_view leg_id);
  pb::SessionStats GetStats(absl::string_view session_id);
  pb::Node GetNode();

  // Asks for the statistics until `reached` holds for them; fails the test, showing the last ones,
  // when it never does. `what` completes "the gateway never ...".
  pb::SessionStats AwaitStats(absl::string_view session_id, absl::string_view what,
                              absl::FunctionRef<bool(const pb::SessionStats&)> reached);

 private:
  std::unique_ptr<Stub> stub_;
};

// An empty message, and a failed test, when the leg is not in `stats`.
pb::LegStats LegOf(const pb::SessionStats& stats, absl::string_view leg_id);
VerdictMap VerdictsOf(const pb::SessionStats& stats, absl::string_view leg_id);
// 0 when it did not occur.
uint64_t VerdictOf(const pb::SessionStats& stats, absl::string_view leg_id,
                   absl::string_view verdict);

// A counter of an interceptor; 0 when it did not occur.
uint64_t CounterOf(const pb::LegStats& leg, absl::string_view interceptor, absl::string_view name);

// The named limit of a node; fails the test when there is none.
pb::LimitUsage LimitOf(const pb::Node& node, absl::string_view name);

// An update of one leg with the given paths of its config.
pb::UpdateLegRequest LegUpdateOf(absl::string_view session_id, absl::string_view leg_id,
                                 const pb::LegConfig& config,
                                 std::initializer_list<absl::string_view> paths);

}  // namespace sluice

#endif  // TESTS_E2E_CONTROL_CLIENT_H_

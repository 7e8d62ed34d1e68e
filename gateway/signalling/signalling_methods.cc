#include "gateway/signalling/signalling_methods.h"

#include <utility>

#include "proto/signalling/v1/signalling_service.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::signalling::v1;
using ::google::protobuf::Message;

template <typename Request>
std::unique_ptr<Message> New() {
  return std::make_unique<Request>();
}

template <typename Request, typename Response,
          grpc::Status (ParticipantCalls::*kMethod)(const ParticipantClaims&, const Request&,
                                                    Response&)>
grpc::Status Call(ParticipantCalls& calls, const ParticipantClaims& claims, const Message& request,
                  std::unique_ptr<Message>& response) {
  auto made = std::make_unique<Response>();
  grpc::Status status = (calls.*kMethod)(claims, static_cast<const Request&>(request), *made);
  response = std::move(made);
  return status;
}

constexpr std::array<SignallingMethodRow, kSignallingMethods> kTable = {{
    {SignallingMethod::kJoin, MethodKind::kWaiting, "Join", "/v1/join", false, New<pb::JoinRequest>,
     Call<pb::JoinRequest, pb::JoinResponse, &ParticipantCalls::Join>},
    {SignallingMethod::kUpdateLeg, MethodKind::kWaiting, "UpdateLeg", "/v1/leg:update", false,
     New<pb::UpdateLegRequest>,
     Call<pb::UpdateLegRequest, pb::UpdateLegResponse, &ParticipantCalls::UpdateLeg>},
    {SignallingMethod::kLeave, MethodKind::kWaiting, "Leave", "/v1/leave", false,
     New<pb::LeaveRequest>, Call<pb::LeaveRequest, pb::LeaveResponse, &ParticipantCalls::Leave>},
    // Not early: who sends it again takes one of the few streams that the token has.
    {SignallingMethod::kWatchEvents, MethodKind::kStream, "WatchEvents", "/v1/events", false,
     New<pb::WatchEventsRequest>, nullptr},
    {SignallingMethod::kPing, MethodKind::kImmediate, "Ping", "/v1/ping", true,
     New<pb::PingRequest>, Call<pb::PingRequest, pb::PingResponse, &ParticipantCalls::Ping>},
}};

}  // namespace

const std::array<SignallingMethodRow, kSignallingMethods>& SignallingMethodTable() {
  return kTable;
}

const SignallingMethodRow& RowOf(SignallingMethod method) {
  return kTable[static_cast<size_t>(method)];
}

const SignallingMethodRow* FindMethodByName(absl::string_view name) {
  for (const SignallingMethodRow& row : kTable) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

const SignallingMethodRow* FindMethodByPath(absl::string_view path) {
  for (const SignallingMethodRow& row : kTable) {
    if (row.path == path) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace sluice

#include "gateway/signalling/signalling_grpc_service.h"

#include <iterator>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gateway/control/status_convert.h"
#include "gateway/signalling/bearer_token.h"
#include "gateway/signalling/token_places.h"
#include "gateway/tokens/participant_claims.h"

namespace sluice {
namespace {

namespace pb = ::sluice::signalling::v1;

// HTTP/2 has names in lower case.
constexpr char kAuthorization[] = "authorization";

// Nothing, too, when there are several: which of them counts is not ours to guess.
std::optional<absl::string_view> TokenOf(const grpc::ServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto [first, last] = metadata.equal_range(kAuthorization);
  if (first == last || std::next(first) != last) {
    return std::nullopt;
  }
  return BearerToken(absl::string_view(first->second.data(), first->second.size()));
}

}  // namespace

template <typename Request, typename Response>
grpc::Status SignallingGrpcService::Call(
    grpc::ServerContext& context,
    grpc::Status (ParticipantCalls::*method)(const ParticipantClaims&, const Request&, Response&),
    const Request& request, Response& response) {
  const absl::StatusOr<ParticipantClaims> claims = calls_.Authenticate(TokenOf(context));
  if (!claims.ok()) {
    return ToGrpcStatus(claims.status());
  }
  const absl::StatusOr<TokenPlaces::Place> place = calls_.BeginCall(*claims);
  if (!place.ok()) {
    return ToGrpcStatus(place.status());
  }
  // A deadline is a cancellation, too. Who does not wait for the answer would never learn the keys
  // of the leg that it made.
  if (context.IsCancelled()) {
    return grpc::Status::CANCELLED;
  }
  return (calls_.*method)(*claims, request, response);
}

grpc::Status SignallingGrpcService::Join(grpc::ServerContext* context,
                                         const pb::JoinRequest* request,
                                         pb::JoinResponse* response) {
  return Call(*context, &ParticipantCalls::Join, *request, *response);
}

grpc::Status SignallingGrpcService::UpdateLeg(grpc::ServerContext* context,
                                              const pb::UpdateLegRequest* request,
                                              pb::UpdateLegResponse* response) {
  return Call(*context, &ParticipantCalls::UpdateLeg, *request, *response);
}

grpc::Status SignallingGrpcService::Leave(grpc::ServerContext* context,
                                          const pb::LeaveRequest* request,
                                          pb::LeaveResponse* response) {
  return Call(*context, &ParticipantCalls::Leave, *request, *response);
}

grpc::Status SignallingGrpcService::WatchEvents(
    grpc::ServerContext* context, const pb::WatchEventsRequest* request,
    grpc::ServerWriter<pb::WatchEventsResponse>* writer) {
  const absl::StatusOr<ParticipantClaims> claims = calls_.Authenticate(TokenOf(*context));
  if (!claims.ok()) {
    return ToGrpcStatus(claims.status());
  }
  return calls_.WatchEvents(
      *claims, *request, [context] { return context->IsCancelled(); },
      [writer](const pb::WatchEventsResponse& response) { return writer->Write(response); });
}

grpc::Status SignallingGrpcService::Ping(grpc::ServerContext* context,
                                         const pb::PingRequest* request,
                                         pb::PingResponse* response) {
  return Call(*context, &ParticipantCalls::Ping, *request, *response);
}

}  // namespace sluice

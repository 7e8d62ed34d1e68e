#include "tests/e2e/quic_participant.h"

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/client/client_session.h"
#include "quic/client/io/server_addresses.h"

namespace sluice {
namespace {

// Certificates of tests are for this name.
constexpr char kServerName[] = "localhost";

// For what takes milliseconds when all is well.
constexpr TimeDelta kPatience = TimeDelta::Seconds(60);

ClientRequest RequestOf(absl::string_view method, const std::string& token,
                        const google::protobuf::Message& message,
                        RpcReplay replay = RpcReplay::kHarmful) {
  return {.method = std::string(method),
          .token = token,
          .message = message.SerializeAsString(),
          .timeout = kPatience,
          .replay = replay};
}

absl::StatusOr<std::vector<UdpAddress>> Resolve(absl::string_view address) {
  const absl::StatusOr<ServerTarget> target = ParseServerTarget(address);
  return target.ok() ? ResolveServer(*target) : target.status();
}

}  // namespace

QuicParticipant::QuicParticipant(absl::string_view address, const std::string& trusted_pem,
                                 TicketStore* tickets) {
  const absl::StatusOr<std::vector<UdpAddress>> addresses = Resolve(address);
  EXPECT_TRUE(addresses.ok()) << addresses.status();
  absl::StatusOr<std::unique_ptr<RpcClientThread>> client =
      RpcClientThread::Start({.addresses = addresses.value_or(std::vector<UdpAddress>()),
                              .server_name = kServerName,
                              .trusted_pem = trusted_pem,
                              .handshake_timeout = kPatience,
                              .tickets = tickets});
  EXPECT_TRUE(client.ok()) << client.status();
  client_ = *std::move(client);
}

absl::Status QuicParticipant::Call(absl::string_view method, const std::string& token,
                                   const google::protobuf::Message& request,
                                   google::protobuf::Message& response, RpcReplay replay) {
  const RpcAnswer answer = client_->Call(RequestOf(method, token, request, replay));
  if (answer.status.ok() && !response.ParseFromString(answer.message)) {
    return absl::InternalError("the answer does not parse");
  }
  return answer.status;
}

absl::Status QuicParticipant::Ping(const std::string& token, const std::string& payload) {
  sig::PingRequest request;
  request.set_payload(payload);
  sig::PingResponse response;
  const absl::Status status = Call("Ping", token, request, response);
  if (status.ok() && response.payload() != payload) {
    return absl::InternalError("another payload came back");
  }
  return status;
}

absl::Status QuicParticipant::Join(const std::string& token, OwnSrtpPeer& peer) {
  sig::JoinRequest request;
  *request.mutable_config() = peer.Config();
  request.mutable_config()->clear_remote_key();
  request.mutable_config()->clear_kind();
  *request.add_offered_keys() = peer.key();
  sig::JoinResponse joined;
  const absl::Status status = Call("Join", token, request, joined);
  if (status.ok()) {
    pb::AddLegResponse answer;
    *answer.mutable_leg() = joined.leg();
    *answer.mutable_local_key() = joined.local_key();
    peer.Connect(answer);
  }
  return status;
}

absl::Status QuicParticipant::Leave(const std::string& token, sig::LeaveResponse& left) {
  return Call("Leave", token, sig::LeaveRequest(), left);
}

std::unique_ptr<RpcClientStream> QuicParticipant::WatchEvents(const std::string& token) {
  return client_->Stream(RequestOf("WatchEvents", token, sig::WatchEventsRequest()));
}

bool ReadEvent(RpcClientStream& stream, sig::WatchEventsResponse& response) {
  std::string message;
  return stream.Read(message) && response.ParseFromString(message);
}

}  // namespace sluice

#ifndef TOOLS_CTL_SIGNALLING_CLIENT_H_
#define TOOLS_CTL_SIGNALLING_CLIENT_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "proto/signalling/v1/signalling_service.pb.h"

namespace sluice {

struct SignallingOptions {
  // "host:port" over gRPC, "quic://host:port" over QUIC.
  std::string target;
  // Secret.
  std::string token;
  // Folder with ca.crt, which has to have signed the gateway's certificate. Participants have none.
  std::string tls_dir;
  // Over gRPC: anybody on the way could take the token; over QUIC, which always encrypts: it could
  // be anybody's certificate. Refused unless the gateway is on this machine.
  bool insecure = false;
  // Over QUIC, the name in the gateway's certificate; empty: the host, or "localhost" for an
  // address of loopback.
  std::string server_name{};
  // Of each call, except streams.
  absl::Duration timeout = absl::Seconds(10);
};

// A participant's connection to one gateway, over whatever. Whether there is a gateway shows at the
// first call. Errors have the service's details (grpc::Status::error_details), whatever carried
// them.
class SignallingClient {
 public:
  using EventHandler = absl::FunctionRef<void(const signalling::v1::WatchEventsResponse&)>;

  virtual ~SignallingClient() = default;

  virtual grpc::Status Join(const signalling::v1::JoinRequest& request,
                            signalling::v1::JoinResponse& response) = 0;
  virtual grpc::Status UpdateLeg(const signalling::v1::UpdateLegRequest& request,
                                 signalling::v1::UpdateLegResponse& response) = 0;
  virtual grpc::Status Leave(const signalling::v1::LeaveRequest& request,
                             signalling::v1::LeaveResponse& response) = 0;
  virtual grpc::Status Ping(const signalling::v1::PingRequest& request,
                            signalling::v1::PingResponse& response) = 0;
  // Until the stream ends.
  virtual grpc::Status WatchEvents(const signalling::v1::WatchEventsRequest& request,
                                   EventHandler handler) = 0;

  // What the last call took and over what it went, for people: "QUIC (sluice/1, TLS 1.3, v1): 2
  // round trips, 3.4 ms". Empty where nobody counts.
  virtual std::string LastTrip() const { return ""; }
};

}  // namespace sluice

#endif  // TOOLS_CTL_SIGNALLING_CLIENT_H_

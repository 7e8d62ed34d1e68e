#ifndef TOOLS_CTL_SIGNALLING_OVER_QUIC_H_
#define TOOLS_CTL_SIGNALLING_OVER_QUIC_H_

#include <grpcpp/support/status.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/client/client_session.h"
#include "quic/client/io/rpc_client_thread.h"
#include "quic/client/signalling/quic_signalling_client.h"
#include "tools/ctl/signalling_client.h"

namespace sluice {

// Before the address of a gateway that is spoken to over QUIC.
inline constexpr absl::string_view kQuicScheme = "quic://";

// A participant over QUIC.
class SignallingOverQuic : public SignallingClient {
 public:
  // Says what is wrong with the options. Resolves the host's name, which may take its time.
  static absl::StatusOr<std::unique_ptr<SignallingOverQuic>> Create(
      const SignallingOptions& options);

  grpc::Status Join(const signalling::v1::JoinRequest& request,
                    signalling::v1::JoinResponse& response) override;
  grpc::Status UpdateLeg(const signalling::v1::UpdateLegRequest& request,
                         signalling::v1::UpdateLegResponse& response) override;
  grpc::Status Leave(const signalling::v1::LeaveRequest& request,
                     signalling::v1::LeaveResponse& response) override;
  grpc::Status Ping(const signalling::v1::PingRequest& request,
                    signalling::v1::PingResponse& response) override;
  grpc::Status WatchEvents(const signalling::v1::WatchEventsRequest& request,
                           EventHandler handler) override;
  std::string LastTrip() const override;

  // Of the last call.
  const WaitingTime& took() const { return took_; }
  QuicSignallingClient& client() { return *client_; }

 private:
  explicit SignallingOverQuic(std::unique_ptr<QuicSignallingClient> client)
      : client_(std::move(client)) {}

  template <typename Response>
  grpc::Status Take(absl::StatusOr<Response> answer, Response& response);

  const std::unique_ptr<QuicSignallingClient> client_;
  WaitingTime took_;
};

// "2 round trips, 3.4 ms".
std::string FormatWaitingTime(const WaitingTime& took);
// "sluice/1, TLS 1.3, v1"; with ", resumed" behind it where it was.
std::string FormatQuicConnection(const RpcClientReport& report);

// An error of QUIC signalling as gRPC has it, with the same details.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace sluice

#endif  // TOOLS_CTL_SIGNALLING_OVER_QUIC_H_

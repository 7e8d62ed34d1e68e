#ifndef QUIC_CLIENT_SIGNALLING_QUIC_SIGNALLING_CLIENT_H_
#define QUIC_CLIENT_SIGNALLING_QUIC_SIGNALLING_CLIENT_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/time_delta.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/calls/rpc_client_connection.h"
#include "quic/client/client_session.h"
#include "quic/client/io/rpc_client_thread.h"

namespace sluice {

// Events of a participant's leg as they come. Any thread may Cancel; goes before its client.
class QuicEventStream {
 public:
  explicit QuicEventStream(std::unique_ptr<RpcClientStream> stream) : stream_(std::move(stream)) {}

  // Waits for the next one. False at the end; status() says why.
  bool Read(signalling::v1::WatchEventsResponse& response);
  absl::Status status() const;
  void Cancel() { stream_->Cancel(); }

 private:
  const std::unique_ptr<RpcClientStream> stream_;
  // A message that is none.
  absl::Status broken_;
};

// A participant at one gateway, over QUIC: the calls of SignallingService
// (proto/signalling/v1/signalling_service.proto), which block. Errors are those of the service,
// with its details under kRpcStatusPayload, or say what is wrong with the connection; it is made by
// the first call, with two round trips for both, and not made again when it has ended. Any thread.
//
//   RpcClientOptions options = {.addresses = *ResolveServer(target), .server_name = "gw.example",
//                               .trusted_pem = authority};
//   auto client = QuicSignallingClient::Start({.connection = options, .token = token});
//   absl::StatusOr<JoinResponse> joined = (*client)->Join(request);
class QuicSignallingClient {
 public:
  struct Options {
    RpcClientOptions connection;
    // Secret.
    std::string token;
    // Of each call, except WatchEvents, with the wait for the connection.
    TimeDelta timeout = TimeDelta::Seconds(10);
  };

  // As RpcClientThread::Start.
  static absl::StatusOr<std::unique_ptr<QuicSignallingClient>> Start(Options options);
  QuicSignallingClient(const QuicSignallingClient&) = delete;
  QuicSignallingClient& operator=(const QuicSignallingClient&) = delete;

  // `took`, if given, gets what the call took, also when it failed.
  absl::StatusOr<signalling::v1::JoinResponse> Join(const signalling::v1::JoinRequest& request,
                                                    WaitingTime* took = nullptr);
  absl::StatusOr<signalling::v1::UpdateLegResponse> UpdateLeg(
      const signalling::v1::UpdateLegRequest& request, WaitingTime* took = nullptr);
  absl::StatusOr<signalling::v1::LeaveResponse> Leave(const signalling::v1::LeaveRequest& request,
                                                      WaitingTime* took = nullptr);
  // May go out as 0-RTT when RpcClientOptions::tickets has a ticket.
  absl::StatusOr<signalling::v1::PingResponse> Ping(const signalling::v1::PingRequest& request,
                                                    WaitingTime* took = nullptr);
  std::unique_ptr<QuicEventStream> WatchEvents(const signalling::v1::WatchEventsRequest& request);

  // For Close, Migrate and report().
  RpcClientThread& connection() { return *client_; }

 private:
  QuicSignallingClient(std::unique_ptr<RpcClientThread> client, Options options)
      : client_(std::move(client)), token_(std::move(options.token)), timeout_(options.timeout) {}

  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(absl::string_view method, const Request& request, RpcReplay replay,
                                WaitingTime* took);

  const std::unique_ptr<RpcClientThread> client_;
  const std::string token_;
  const TimeDelta timeout_;
};

}  // namespace sluice

#endif  // QUIC_CLIENT_SIGNALLING_QUIC_SIGNALLING_CLIENT_H_

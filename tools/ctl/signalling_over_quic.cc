#include "tools/ctl/signalling_over_quic.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/time_delta.h"
#include "quic/client/client_error.h"
#include "quic/client/io/server_addresses.h"
#include "tools/ctl/signalling_trust.h"

namespace sluice {

namespace v1 = ::sluice::signalling::v1;

namespace {

absl::Status AtTarget(const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("--quic: ", status.message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SignallingOverQuic>> SignallingOverQuic::Create(
    const SignallingOptions& options) {
  const absl::StatusOr<ServerTarget> target = ParseServerTarget(options.target);
  if (!target.ok()) return AtTarget(target.status());
  QuicSignallingClient::Options client;
  client.token = options.token;
  client.timeout = TimeDelta::Micros(absl::ToInt64Microseconds(options.timeout));
  RpcClientOptions& connection = client.connection;
  connection.server = std::string(absl::StripPrefix(options.target, kQuicScheme));
  connection.server_name =
      options.server_name.empty() ? CertificateNameOf(*target) : options.server_name;
  absl::StatusOr<std::string> authority = ReadTrustedAuthority(options, target->host);
  if (!authority.ok()) return authority.status();
  connection.trusted_pem = *std::move(authority);
  connection.trust_anyone = options.insecure;
  absl::StatusOr<std::vector<UdpAddress>> addresses = ResolveServer(*target);
  if (!addresses.ok()) return AtTarget(addresses.status());
  connection.addresses = *std::move(addresses);
  auto made = QuicSignallingClient::Start(std::move(client));
  // What is wrong with them now is not the command line's fault.
  if (!made.ok()) return absl::UnavailableError(made.status().message());
  return std::unique_ptr<SignallingOverQuic>(new SignallingOverQuic(*std::move(made)));
}

template <typename Response>
grpc::Status SignallingOverQuic::Take(absl::StatusOr<Response> answer, Response& response) {
  if (!answer.ok()) return ToGrpcStatus(answer.status());
  response = *std::move(answer);
  return grpc::Status::OK;
}

grpc::Status SignallingOverQuic::Join(const v1::JoinRequest& request, v1::JoinResponse& response) {
  return Take(client_->Join(request, &took_), response);
}

grpc::Status SignallingOverQuic::UpdateLeg(const v1::UpdateLegRequest& request,
                                           v1::UpdateLegResponse& response) {
  return Take(client_->UpdateLeg(request, &took_), response);
}

grpc::Status SignallingOverQuic::Leave(const v1::LeaveRequest& request,
                                       v1::LeaveResponse& response) {
  return Take(client_->Leave(request, &took_), response);
}

grpc::Status SignallingOverQuic::Ping(const v1::PingRequest& request, v1::PingResponse& response) {
  return Take(client_->Ping(request, &took_), response);
}

grpc::Status SignallingOverQuic::WatchEvents(const v1::WatchEventsRequest& request,
                                             EventHandler handler) {
  const auto stream = client_->WatchEvents(request);
  v1::WatchEventsResponse response;
  while (stream->Read(response)) handler(response);
  return ToGrpcStatus(stream->status());
}

std::string SignallingOverQuic::LastTrip() const {
  return absl::StrCat("QUIC (", FormatQuicConnection(client_->connection().report()),
                      "): ", FormatWaitingTime(took_));
}

std::string FormatWaitingTime(const WaitingTime& took) {
  return absl::StrFormat("%d round trip%s, %.1f ms", took.round_trips,
                         took.round_trips == 1 ? "" : "s",
                         static_cast<double>(took.elapsed.us()) / 1000);
}

std::string FormatQuicConnection(const RpcClientReport& report) {
  return absl::StrCat(report.protocol, ", TLS 1.3, v", report.quic_version,
                      report.resumed ? ", resumed" : "");
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const std::optional<absl::Cord> details = status.GetPayload(kRpcStatusPayload);
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()),
                      details.has_value() ? std::string(*details) : std::string());
}

}  // namespace sluice

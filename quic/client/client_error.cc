#include "quic/client/client_error.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/time_delta.h"
#include "quic/connection/close_reason.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_status.h"

namespace sluice {
namespace {

// RFC 9000 section 20.1.
constexpr uint64_t kNoError = 0x00;
constexpr uint64_t kConnectionRefused = 0x02;
constexpr uint64_t kInvalidToken = 0x0b;
constexpr uint64_t kVersionNegotiation = 0x11;
constexpr uint64_t kAlerts = 0x100;

// RFC 8446 section 6.
enum Alert : uint64_t {
  kBadCertificate = 42,
  kCertificateExpired = 45,
  kCertificateUnknown = 46,
  kUnknownCa = 48,
  kDecryptError = 51,
  kUnrecognizedName = 112,
  kNoApplicationProtocol = 120,
};

bool IsAlert(uint64_t code) { return (code & ~uint64_t{0xff}) == kAlerts; }

// What we did not like of the server.
std::string WhyDistrusted(uint64_t alert, const std::string& server) {
  switch (alert) {
    case kUnknownCa:
    // Signed by another authority of the same name, as when it was made anew.
    case kDecryptError:
      return absl::StrCat("the certificate of ", server,
                          " is not signed by an authority that is trusted here: is it the right "
                          "authority's certificate?");
    case kCertificateExpired:
      return absl::StrCat("the certificate of ", server,
                          " has expired or is not valid yet: renew it, or set the clock");
    case kCertificateUnknown:
    case kBadCertificate:
      return absl::StrCat("the certificate of ", server,
                          " is not for the name that was asked for, or is damaged: ask for a name "
                          "that it has");
    case kNoApplicationProtocol:
      return absl::StrCat(server, " speaks QUIC, but not sluice/1");
    default:
      return absl::StrCat("TLS with ", server, " failed: alert ", alert);
  }
}

// What it did not like of us.
std::string WhyRefused(uint64_t alert, const std::string& server) {
  switch (alert) {
    case kNoApplicationProtocol:
      return absl::StrCat(server, " speaks QUIC, but not sluice/1");
    case kUnrecognizedName:
      return absl::StrCat(server, " does not know the name that was asked for");
    default:
      return absl::StrCat(server, " refused TLS: alert ", alert);
  }
}

absl::Status TransportError(const CloseReason& reason, const ConnectionStory& story) {
  const bool remote = reason.cause == CloseCause::kRemoteTransport;
  if (IsAlert(reason.code)) {
    const uint64_t alert = reason.code & 0xff;
    return absl::FailedPreconditionError(remote ? WhyRefused(alert, story.server)
                                                : WhyDistrusted(alert, story.server));
  }
  if (reason.code == kVersionNegotiation || (!remote && reason.code == kNoError)) {
    return absl::FailedPreconditionError(
        absl::StrCat(story.server, " does not speak version 1 of QUIC"));
  }
  if (remote && reason.code == kConnectionRefused) {
    return absl::UnavailableError(absl::StrCat(
        story.server, " takes no more connections now: it is full or about to stop; try later"));
  }
  if (remote && reason.code == kInvalidToken) {
    return absl::UnavailableError(
        absl::StrCat(story.server, " did not accept its own address token; try again"));
  }
  return absl::UnavailableError(absl::StrCat(remote ? "the server" : "this side",
                                             " ended the connection with ", story.server,
                                             ": error 0x", absl::Hex(reason.code), " of QUIC"));
}

}  // namespace

absl::Status ConnectionError(const CloseReason& reason, const ConnectionStory& story) {
  switch (reason.cause) {
    case CloseCause::kLocalApplication:
      return absl::CancelledError(absl::StrCat("the connection to ", story.server, " was closed"));
    case CloseCause::kRemoteApplication:
      if (reason.code == static_cast<uint64_t>(RpcErrorCode::kNone)) {
        return absl::UnavailableError(
            absl::StrCat(story.server, " closed the connection; it is about to stop"));
      }
      return absl::UnavailableError(
          absl::StrCat(story.server, " closed the connection: ", RpcErrorCodeName(reason.code)));
    case CloseCause::kLocalTransport:
    case CloseCause::kRemoteTransport:
      return TransportError(reason, story);
    case CloseCause::kStatelessReset:
      return absl::UnavailableError(absl::StrCat(
          story.server, " does not know the connection any more; it was started anew"));
    case CloseCause::kIdleTimeout:
      if (story.connected) {
        return absl::UnavailableError(
            absl::StrCat("the connection to ", story.server, " was lost: nothing comes any more"));
      }
      break;
    case CloseCause::kHandshakeTimeout:
    case CloseCause::kDropped:
      break;
  }
  if (story.heard) {
    return absl::UnavailableError(
        absl::StrCat("the handshake with ", story.server, " was not done within ", story.patience));
  }
  return absl::UnavailableError(absl::StrCat("no answer from ", story.server, " within ",
                                             story.patience,
                                             " (does it listen there? is UDP blocked?)"));
}

absl::Status CallError(const RpcFailure& failure, absl::string_view method,
                       absl::string_view server, TimeDelta timeout) {
  switch (failure.cause) {
    case RpcFailureCause::kDeadline:
      return absl::DeadlineExceededError(
          absl::StrCat("no answer to ", method, " from ", server, " within ", timeout));
    case RpcFailureCause::kByServer:
      if (failure.code == static_cast<uint64_t>(RpcErrorCode::kRefused)) {
        return absl::UnavailableError(
            absl::StrCat(server, " did nothing of ", method,
                         ": too many calls, or it is about to stop; make the call again"));
      }
      if (failure.code == static_cast<uint64_t>(RpcErrorCode::kOverloaded)) {
        return absl::ResourceExhaustedError(
            absl::StrCat(server, " has no memory for ", method, " now; try later"));
      }
      return absl::InternalError(
          absl::StrCat(server, " gave up ", method, ": ", RpcErrorCodeName(failure.code)));
    case RpcFailureCause::kByClient:
      return absl::InternalError(
          absl::StrCat("the answer of ", server, " to ", method,
                       " breaks the rules: ", RpcErrorCodeName(failure.code)));
    case RpcFailureCause::kConnectionLost:
      break;
  }
  return absl::UnavailableError(absl::StrCat("the connection to ", server,
                                             " was lost before the answer to ", method,
                                             "; it may have been done"));
}

absl::Status AnswerError(const RpcStatus& status) {
  if (status.code == 0) return absl::OkStatus();
  constexpr int32_t kLastCode = static_cast<int32_t>(absl::StatusCode::kUnauthenticated);
  const auto code = status.code > 0 && status.code <= kLastCode
                        ? static_cast<absl::StatusCode>(status.code)
                        : absl::StatusCode::kUnknown;
  absl::Status error(code, status.message);
  const std::string encoded(status.encoded.begin(), status.encoded.end());
  error.SetPayload(kRpcStatusPayload, absl::Cord(encoded));
  return error;
}

}  // namespace sluice

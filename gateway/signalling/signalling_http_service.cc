#include "gateway/signalling/signalling_http_service.h"

#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "gateway/signalling/bearer_token.h"
#include "gateway/signalling/http_status.h"
#include "gateway/signalling/json_codec.h"

namespace sluice {
namespace {

constexpr absl::string_view kHealthPath = "/healthz";
constexpr absl::string_view kJson = "application/json";
constexpr absl::string_view kJsonLines = "application/x-ndjson";

// What a page may send: our methods, and the fields of a call. Ten minutes are as long as some
// browsers remember it at most.
constexpr absl::string_view kCorsMethods = "GET, POST";
constexpr absl::string_view kCorsHeaders = "authorization, content-type";
constexpr absl::string_view kCorsMaxAge = "600";
constexpr absl::string_view kVaryOrigin = "origin";

// What a 401 asks for (RFC 6750 section 3). Who brought no token is told no error.
constexpr absl::string_view kChallenge = "Bearer";
constexpr absl::string_view kInvalidToken = "Bearer error=\"invalid_token\"";

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

// application/json with any parameters (RFC 9110 section 8.3.1).
bool IsJson(absl::string_view content_type) {
  const absl::string_view media_type =
      absl::StripAsciiWhitespace(content_type.substr(0, content_type.find(';')));
  return absl::EqualsIgnoreCase(media_type, kJson);
}

std::string Error(grpc::StatusCode code, absl::string_view message) {
  return StatusJson(grpc::Status(code, std::string(message)));
}

}  // namespace

SignallingHttpService::SignallingHttpService(PendingCalls& pending, SignallingHttpOptions options)
    : pending_(pending), options_(std::move(options)) {}

const CallCodec& SignallingHttpService::codec() const { return JsonCodec(); }

absl::string_view SignallingHttpService::FindOrigin(absl::string_view origin) const {
  for (const std::string& allowed : options_.allowed_origins) {
    if (allowed == origin) {
      return allowed;
    }
  }
  return {};
}

std::optional<SignallingHttpService::Reply> SignallingHttpService::Judge(
    const HttpRequest& request, const SignallingMethodRow* method) const {
  if (!request.origin.empty() && FindOrigin(request.origin).empty()) {
    return Reply{
        403, Error(grpc::StatusCode::PERMISSION_DENIED, "pages of this origin may not call here")};
  }
  const bool health = request.path == kHealthPath;
  if (method == nullptr && !health) {
    return Reply{404, Error(grpc::StatusCode::NOT_FOUND, "there is nothing of this path")};
  }
  const absl::string_view right_method = health ? "GET" : "POST";
  if (request.method == "OPTIONS" && !request.origin.empty() &&
      !request.access_control_request_method.empty()) {
    return Reply{.status = 204, .body = "", .preflight = true};
  }
  if (request.method != right_method) {
    return Reply{405,
                 Error(grpc::StatusCode::UNIMPLEMENTED, "this path has another method, see allow"),
                 right_method};
  }
  if (health) {
    return options_.serving() ? Reply{200, R"({"status":"SERVING"})"}
                              : Reply{503, R"({"status":"NOT_SERVING"})"};
  }
  if (request.early && !method->early) {
    // RFC 8470 section 5.2.
    return Reply{425, Error(grpc::StatusCode::UNAVAILABLE,
                            "came before the handshake was done: call once more now")};
  }
  if (!IsJson(request.content_type) && !(request.body.empty() && request.content_type.empty())) {
    return Reply{415, Error(grpc::StatusCode::INVALID_ARGUMENT,
                            "the content-type of a request is application/json")};
  }
  return std::nullopt;
}

void SignallingHttpService::OnRequest(Timestamp now, const HttpCall& call,
                                      const HttpRequest& request) {
  const CallId id = pending_.NewId();
  const SignallingMethodRow* method = FindMethodByPath(request.path);
  std::optional<Reply> reply = Judge(request, method);
  Request remembered;
  remembered.method = method;
  remembered.origin = FindOrigin(request.origin);
  if (reply.has_value()) {
    // What it counts as; Finish tells what is remembered.
    const bool well = reply->status < 300;
    remembered.reply = *std::move(reply);
    requests_.Add(id, call, std::move(remembered));
    pending_.Refuse(
        now, *this, id, method,
        well ? grpc::Status::OK : grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "refused"));
    return;
  }
  const std::optional<absl::string_view> token = BearerToken(request.authorization);
  remembered.has_token = token.has_value();
  requests_.Add(id, call, std::move(remembered));
  pending_.Submit(now, *this, id, {method, token, request.body, request.early});
}

void SignallingHttpService::OnCancelled(const HttpCall& call, HttpCancelCause) {
  const std::optional<CallId> id = requests_.IdOf(call);
  if (id.has_value()) {
    requests_.Remove(*id);
    pending_.Cancel(*id);
  }
}

void SignallingHttpService::OnWritable(Timestamp now, const HttpCall& call) {
  const std::optional<CallId> id = requests_.IdOf(call);
  if (id.has_value()) {
    pending_.OnWritable(now, *id);
  }
}

CallSend SignallingHttpService::Begin(Timestamp now, CallId id, const Reply& reply, bool well) {
  auto* entry = requests_.Find(id);
  if (entry == nullptr) {
    return CallSend::kGone;
  }
  const Request& request = entry->memory;
  const bool stream =
      well && request.method != nullptr && request.method->kind == MethodKind::kStream;
  HttpAnswer answer;
  answer.status = reply.status;
  answer.allow = reply.allow;
  answer.www_authenticate = reply.www_authenticate;
  if (!reply.preflight) {
    answer.content_type = stream ? kJsonLines : kJson;
    if (!stream) {
      answer.content_length = reply.body.size();
    }
  } else {
    answer.access_control_allow_methods = kCorsMethods;
    answer.access_control_allow_headers = kCorsHeaders;
    answer.access_control_max_age = kCorsMaxAge;
  }
  answer.access_control_allow_origin = request.origin;
  // Also without an origin: a cache must not give the answer to a page (Fetch standard).
  answer.vary = options_.allowed_origins.empty() ? "" : kVaryOrigin;
  const HttpCall call = entry->call;
  const HttpSendVerdict verdict = call.Begin(now, answer);
  if (verdict == HttpSendVerdict::kBlocked) {
    return CallSend::kBlocked;
  }
  entry = requests_.Find(id);
  if (entry == nullptr || verdict != HttpSendVerdict::kSent) {
    requests_.Remove(id);
    return CallSend::kGone;
  }
  entry->memory.begun = true;
  entry->memory.begun_well = well;
  return CallSend::kSent;
}

CallSend SignallingHttpService::SendPiece(Timestamp now, CallId id, const std::string& piece) {
  const auto* entry = requests_.Find(id);
  if (entry == nullptr) {
    return CallSend::kGone;
  }
  const HttpCall call = entry->call;
  const HttpSendVerdict verdict = call.Send(now, Bytes(piece));
  if (verdict == HttpSendVerdict::kBlocked) {
    return CallSend::kBlocked;
  }
  if (verdict != HttpSendVerdict::kSent) {
    requests_.Remove(id);
    return CallSend::kGone;
  }
  return CallSend::kSent;
}

CallSend SignallingHttpService::End(Timestamp now, CallId id) {
  const auto* entry = requests_.Find(id);
  if (entry == nullptr) {
    return CallSend::kGone;
  }
  const HttpCall call = entry->call;
  requests_.Remove(id);
  return call.Finish(now) ? CallSend::kSent : CallSend::kGone;
}

CallSend SignallingHttpService::Send(Timestamp now, CallId id, const std::string& message) {
  const auto* entry = requests_.Find(id);
  if (entry != nullptr && !entry->memory.begun) {
    const CallSend begun = Begin(now, id, {200, message}, true);
    if (begun != CallSend::kSent) {
      return begun;
    }
  }
  return SendPiece(now, id, message);
}

CallSend SignallingHttpService::SendReply(Timestamp now, CallId id, const Reply& reply) {
  if (!requests_.Find(id)->memory.begun) {
    const CallSend begun = Begin(now, id, reply, false);
    if (begun != CallSend::kSent) {
      return begun;
    }
  }
  if (!reply.body.empty()) {
    const CallSend sent = SendPiece(now, id, reply.body);
    if (sent != CallSend::kSent) {
      return sent;
    }
  }
  return End(now, id);
}

CallSend SignallingHttpService::Finish(Timestamp now, CallId id, const grpc::Status& status) {
  auto* entry = requests_.Find(id);
  if (entry == nullptr) {
    return CallSend::kGone;
  }
  if (entry->memory.reply.has_value()) {
    // A copy: the request may be forgotten while it is sent.
    const Reply reply = *entry->memory.reply;
    return SendReply(now, id, reply);
  }
  if (status.ok()) {
    return End(now, id);
  }
  if (!entry->memory.begun_well) {
    Reply reply{ToHttpStatus(status.error_code()), StatusJson(status)};
    if (status.error_code() == grpc::StatusCode::UNAUTHENTICATED) {
      reply.www_authenticate = entry->memory.has_token ? kInvalidToken : kChallenge;
    }
    return SendReply(now, id, reply);
  }
  const CallSend sent = SendPiece(now, id, ErrorLine(status));
  return sent == CallSend::kSent ? End(now, id) : sent;
}

}  // namespace sluice

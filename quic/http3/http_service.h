#ifndef QUIC_HTTP3_HTTP_SERVICE_H_
#define QUIC_HTTP3_HTTP_SERVICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/connection/connection_handler.h"

namespace sluice {

// What a client asks for, whole. Views that last as long as HttpService::OnRequest; what was not
// sent is empty. Nothing of it is verified, but that it is HTTP (RFC 9114 section 4).
struct HttpRequest {
  // "GET", "POST", ...; as sent, but "GET" for HEAD, of whose answer the body is dropped.
  absl::string_view method{};
  // Of `:path`, without the query.
  absl::string_view path{};
  absl::string_view query{};
  absl::string_view authority{};
  // Values of these fields.
  absl::string_view authorization{};
  absl::string_view content_type{};
  absl::string_view origin{};
  // Of a preflight (Fetch standard): what the real request will be.
  absl::string_view access_control_request_method{};
  absl::Span<const uint8_t> body{};
  // It came as 0-RTT data, at least in part: anybody may have sent it again, so only what may
  // happen twice may come of it (RFC 8470).
  bool early = false;
};

// Besides the body. Static or owned by the caller for the time of the call; a field with an empty
// value is not sent.
struct HttpAnswer {
  // 200 to 599. With 204 and 304 pieces of a body are dropped (RFC 9110 section 6.4.1).
  int status = 200;
  absl::string_view content_type{};
  // Methods, with 405.
  absl::string_view allow{};
  // A challenge, with 401 (RFC 9110 section 11.6.1).
  absl::string_view www_authenticate{};
  absl::string_view access_control_allow_origin{};
  absl::string_view access_control_allow_methods{};
  absl::string_view access_control_allow_headers{};
  absl::string_view access_control_max_age{};
  // "origin" where the answer depends on it.
  absl::string_view vary{};
  // Of the whole body in bytes, where it is known before. The pieces must then be as long together.
  std::optional<size_t> content_length = std::nullopt;
};

// What became of a piece of an answer.
enum class HttpSendVerdict : uint8_t {
  // It is sent, or will be.
  kSent,
  // The client reads too slowly and as much waits as may. Nothing of this piece was sent;
  // HttpService::OnWritable says when to go on.
  kBlocked,
  // It is longer than may ever wait.
  kTooLong,
  // There is no such request any more, or its answer could not be sent and it is given up: nothing
  // more is told of it.
  kGone,
};

// Takes the answers to requests. The thread of the connection.
class HttpResponder {
 public:
  virtual ~HttpResponder() = default;

  // The status and fields of an answer, once, before anything else of it.
  virtual HttpSendVerdict Begin(Timestamp now, StreamId id, const HttpAnswer& answer) = 0;
  // A piece of the body; all of it or nothing.
  virtual HttpSendVerdict Send(Timestamp now, StreamId id, absl::Span<const uint8_t> piece) = 0;
  // The end. False when there is no such request any more.
  virtual bool Finish(Timestamp now, StreamId id) = 0;
};

// A request that was made and not answered to the end, for who answers it. Copied freely; may
// outlive the request, whose end it notices, but not the connection. The thread of the connection.
class HttpCall {
 public:
  HttpCall(HttpResponder& responder, StreamId id) : responder_(&responder), id_(id) {}

  // Tells requests of a connection apart; never used again on it.
  StreamId id() const { return id_; }

  HttpSendVerdict Begin(Timestamp now, const HttpAnswer& answer) const {
    return responder_->Begin(now, id_, answer);
  }
  HttpSendVerdict Send(Timestamp now, absl::Span<const uint8_t> piece) const {
    return responder_->Send(now, id_, piece);
  }
  bool Finish(Timestamp now) const { return responder_->Finish(now, id_); }

  friend bool operator==(const HttpCall& a, const HttpCall& b) {
    return a.responder_ == b.responder_ && a.id_ == b.id_;
  }
  template <typename H>
  friend H AbslHashValue(H h, const HttpCall& call) {
    return H::combine(std::move(h), call.responder_, call.id_);
  }

 private:
  HttpResponder* responder_;
  StreamId id_;
};

// Why a request ended that nobody had answered to the end.
enum class HttpCancelCause : uint8_t {
  // The client does not want the answer any more.
  kByClient,
  // The client did not read for too long what waited for it.
  kTooSlow,
  // The connection is gone.
  kConnectionLost,
};
inline constexpr size_t kHttpCancelCauseCount = 3;

// What is asked: does the work of all paths. Called by a connection while that handles an event;
// may answer this and other requests right then, and later. Several connections share it: a request
// is named by its responder and its id together. The thread of the connections.
class HttpService {
 public:
  virtual ~HttpService() = default;

  // Each request once, when it is complete, and nothing of it before. Must be finished some time,
  // unless cancelled.
  virtual void OnRequest(Timestamp now, const HttpCall& call, const HttpRequest& request) = 0;
  // It has ended, and whatever is answered is lost.
  virtual void OnCancelled(const HttpCall& /*call*/, HttpCancelCause /*cause*/) {}
  // Everything that was waiting went out, after a piece was kBlocked.
  virtual void OnWritable(Timestamp /*now*/, const HttpCall& /*call*/) {}
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_SERVICE_H_

#ifndef GATEWAY_SIGNALLING_SIGNALLING_HTTP_SERVICE_H_
#define GATEWAY_SIGNALLING_SIGNALLING_HTTP_SERVICE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/timestamp.h"
#include "gateway/signalling/call_table.h"
#include "gateway/signalling/call_transport.h"
#include "gateway/signalling/pending_calls.h"
#include "gateway/signalling/signalling_methods.h"
#include "quic/http3/http_service.h"

namespace sluice {

struct SignallingHttpOptions {
  // Pages of these origins may call ("https://example.org", compared as they are); others are
  // refused. Who says no origin is no page.
  std::vector<std::string> allowed_origins;
  // Whether the gateway takes calls, for /healthz. The thread of the connections; does not block.
  std::function<bool()> serving;
};

// Brings the calls of participants in over HTTP: POST to the paths of SignallingMethodTable with
// JSON and a bearer token (RFC 6750), and GET /healthz. Streams are lines of JSON. For all
// connections of a thread, and on that thread.
class SignallingHttpService final : public HttpService, private CallTransport {
 public:
  // `pending` outlives the service, and takes no turn after its end.
  SignallingHttpService(PendingCalls& pending, SignallingHttpOptions options);
  SignallingHttpService(const SignallingHttpService&) = delete;
  SignallingHttpService& operator=(const SignallingHttpService&) = delete;

  // HttpService.
  void OnRequest(Timestamp now, const HttpCall& call, const HttpRequest& request) override;
  void OnCancelled(const HttpCall& call, HttpCancelCause cause) override;
  void OnWritable(Timestamp now, const HttpCall& call) override;

  // Requests that are not answered to the end.
  size_t open_requests() const { return requests_.size(); }

 private:
  // An answer that is not one of a method.
  struct Reply {
    int status;
    std::string body;
    absl::string_view allow{};
    absl::string_view www_authenticate{};
    bool preflight = false;
  };
  // What is remembered of a request.
  struct Request {
    const SignallingMethodRow* method = nullptr;
    // The allowed origin that asks, among the options; empty for none.
    absl::string_view origin;
    std::optional<Reply> reply;
    // It brought a token.
    bool has_token = false;
    // The answer has begun; as that of a method that went well.
    bool begun = false;
    bool begun_well = false;
  };

  // CallTransport.
  CallTransportKind kind() const override { return CallTransportKind::kHttp; }
  const CallCodec& codec() const override;
  CallSend Send(Timestamp now, CallId id, const std::string& message) override;
  CallSend Finish(Timestamp now, CallId id, const grpc::Status& status) override;

  // What is wrong with a request before its method is called, or what it is answered without one.
  std::optional<Reply> Judge(const HttpRequest& request, const SignallingMethodRow* method) const;
  // The same origin in the options; empty when it is not there.
  absl::string_view FindOrigin(absl::string_view origin) const;
  CallSend Begin(Timestamp now, CallId id, const Reply& reply, bool well);
  CallSend SendPiece(Timestamp now, CallId id, const std::string& piece);
  // Begins if that has not been done, sends the body and ends.
  CallSend SendReply(Timestamp now, CallId id, const Reply& reply);
  CallSend End(Timestamp now, CallId id);

  PendingCalls& pending_;
  const SignallingHttpOptions options_;
  CallTable<HttpCall, Request> requests_;
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_SIGNALLING_HTTP_SERVICE_H_

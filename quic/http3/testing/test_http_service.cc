#include "quic/http3/testing/test_http_service.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/check.h"

namespace sluice {

void TestHttpService::OnRequest(Timestamp now, const HttpCall& call, const HttpRequest& request) {
  asked.push_back({.method = std::string(request.method),
                   .path = std::string(request.path),
                   .query = std::string(request.query),
                   .authority = std::string(request.authority),
                   .authorization = std::string(request.authorization),
                   .content_type = std::string(request.content_type),
                   .origin = std::string(request.origin),
                   .body = std::string(request.body.begin(), request.body.end()),
                   .early = request.early});
  if (request.path == "/late" || request.path == "/never") {
    waiting.push_back(call);
  } else if (request.path == "/count") {
    SLUICE_CHECK(absl::SimpleAtoi(request.query, &left_[call.id()]));
    if (call.Begin(now, {.content_type = "application/x-ndjson"}) == HttpSendVerdict::kSent) {
      Count(now, call);
    }
  } else if (request.path == "/echo") {
    // One of these is told what it is before, the other not.
    if (call.Begin(now, {.content_type = "text/plain", .content_length = request.body.size()}) ==
        HttpSendVerdict::kSent) {
      static_cast<void>(call.Send(now, request.body));
    }
    call.Finish(now);
  } else {
    static_cast<void>(call.Begin(now, {.status = 404, .content_length = 0}));
    call.Finish(now);
  }
}

void TestHttpService::OnCancelled(const HttpCall& call, HttpCancelCause cause) {
  cancelled.push_back(cause);
  left_.erase(call.id());
}

void TestHttpService::OnWritable(Timestamp now, const HttpCall& call) { Count(now, call); }

void TestHttpService::Count(Timestamp now, const HttpCall& call) {
  int& left = left_[call.id()];
  for (; left > 0; --left) {
    const std::vector<uint8_t> piece(kPieceSize, static_cast<uint8_t>(left));
    if (call.Send(now, piece) != HttpSendVerdict::kSent) {
      ++blocked;
      return;
    }
  }
  left_.erase(call.id());
  call.Finish(now);
}

}  // namespace sluice

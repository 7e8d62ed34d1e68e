#include "tests/interop/quic/transfer_service.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "tests/interop/quic/transfer_bytes.h"

namespace sluice {
namespace {

// Small enough that several are on their way, large enough that the calls do not count.
constexpr size_t kPiece = size_t{16} << 10;

absl::Span<const uint8_t> AsBytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

void TransferService::OnRequest(Timestamp now, const HttpCall& call, const HttpRequest& request) {
  ++requests_;
  if (request.early) ++early_requests_;
  absl::string_view path = request.path;
  size_t size = 0;
  if (absl::ConsumePrefix(&path, "/bytes/") && absl::SimpleAtoi(path, &size) && size <= kMaxSize) {
    Begin(now, call, {.content_type = "application/octet-stream"}, TransferBytes(size));
  } else if (request.path == "/echo" && request.method == "POST") {
    Begin(now, call, {.content_type = request.content_type},
          std::string(request.body.begin(), request.body.end()));
  } else if (request.path == "/healthz") {
    Begin(now, call, {.content_type = "application/json"}, R"({"status":"SERVING"})");
  } else if (request.path == "/" && !page_.empty()) {
    Begin(now, call, {.content_type = "text/html"}, page_);
  } else {
    Begin(now, call, {.status = 404}, "");
  }
}

void TransferService::OnCancelled(const HttpCall& call, HttpCancelCause /*cause*/) {
  answers_.erase(call);
}

void TransferService::OnWritable(Timestamp now, const HttpCall& call) { Pump(now, call); }

void TransferService::Begin(Timestamp now, const HttpCall& call, HttpAnswer fields,
                            std::string body) {
  fields.content_length = body.size();
  if (call.Begin(now, fields) != HttpSendVerdict::kSent) return;
  answers_[call] = {.body = std::move(body)};
  Pump(now, call);
}

void TransferService::Pump(Timestamp now, const HttpCall& call) {
  const auto found = answers_.find(call);
  if (found == answers_.end()) return;
  Answer& answer = found->second;
  while (answer.sent < answer.body.size()) {
    const absl::string_view piece = absl::string_view(answer.body).substr(answer.sent, kPiece);
    const HttpSendVerdict verdict = call.Send(now, AsBytes(piece));
    if (verdict == HttpSendVerdict::kBlocked) return;
    if (verdict != HttpSendVerdict::kSent) break;
    answer.sent += piece.size();
  }
  answers_.erase(found);
  call.Finish(now);
}

}  // namespace sluice

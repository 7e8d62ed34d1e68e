// Any bytes as what a client says on the streams of a connection of HTTP/3, in any parts, with any
// other events in between. Nothing crashes, nothing is written behind an end, no more memory is
// used than there is, the service hears of everything once, and when the connection goes nothing is
// left.
//
// Events of two bytes: what happens (low four bits) to which stream (high four bits), and a number;
// for those that bring bytes, up to four times that many follow.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_server.h"
#include "quic/http3/http_service.h"
#include "quic/http3/testing/recording_http_streams.h"
#include "tests/fuzz/fuzz_input.h"

namespace sluice {
namespace {

constexpr HttpLimits kLimits = {.requests = 4, .buffers = 2};
constexpr size_t kPool = 2;
// Of each kind of streams that events can name at a time; more than requests.
constexpr size_t kStreams = 16;

// Answers at once, later or never, as the path's second letter says.
class AnyService : public HttpService {
 public:
  void OnRequest(Timestamp now, const HttpCall& call, const HttpRequest& request) override {
    SLUICE_CHECK(!request.method.empty() && request.method != "HEAD");
    SLUICE_CHECK(request.body.size() <= kMaxHttpBody);
    SLUICE_CHECK(request.path.size() + request.authorization.size() <= kMaxHttpFieldSection);
    SLUICE_CHECK(request.authority.find('@') == absl::string_view::npos);
    const uint8_t how = request.path.size() < 2 ? 0 : static_cast<uint8_t>(request.path[1]);
    open.push_back(call);
    if (how % 4 == 3) return;
    const HttpAnswer answer{.status = 200 + how, .content_type = "text/plain"};
    if (call.Begin(now, answer) != HttpSendVerdict::kSent) return Forget(call.id());
    const std::vector<uint8_t> piece(static_cast<size_t>(how % 32) * 2500, 'a');
    if (call.Send(now, piece) == HttpSendVerdict::kGone) return Forget(call.id());
    if (call.Send(now, request.body) == HttpSendVerdict::kGone) return Forget(call.id());
    if (how % 4 == 0) Finish(now, call.id());
  }
  void OnCancelled(const HttpCall& call, HttpCancelCause /*cause*/) override {
    SLUICE_CHECK(Has(call.id())) << "a request that was not made, or had ended";
    Forget(call.id());
  }
  void OnWritable(Timestamp now, const HttpCall& call) override {
    SLUICE_CHECK(Has(call.id()));
    const std::vector<uint8_t> piece(100, 'w');
    if (call.Send(now, piece) == HttpSendVerdict::kGone) Forget(call.id());
  }
  void Finish(Timestamp now, StreamId id) {
    const auto it =
        std::find_if(open.begin(), open.end(), [&](const HttpCall& c) { return c.id() == id; });
    // After the connection has failed it is kept, to be told of its end.
    if (it != open.end() && it->Finish(now)) Forget(id);
  }
  bool Has(StreamId id) const {
    return std::any_of(open.begin(), open.end(), [&](const HttpCall& c) { return c.id() == id; });
  }
  void Forget(StreamId id) {
    std::erase_if(open, [&](const HttpCall& c) { return c.id() == id; });
  }

  std::vector<HttpCall> open;
};

class Connection {
 public:
  ~Connection() {
    server_.OnConnectionClosed();
    SLUICE_CHECK(server_.open_requests() == 0 && server_.state_bytes() == 0);
    SLUICE_CHECK(server_.NextTimeout() == Timestamp::PlusInfinity());
    SLUICE_CHECK(pool_.free() == kPool);
  }

  void Do(FuzzInput& input) {
    const uint8_t what = input.Byte();
    const uint8_t number = input.Byte();
    const size_t place = what / 16;
    if (what % 16 == 0) ++times_opened_[place];
    const auto id = static_cast<StreamId>(4 * (kStreams * times_opened_[place] + place));
    const StreamId unidirectional = id + 2;
    switch (what % 16) {
      case 0:
        streams_.stream(id).room = number * 64;
        server_.OnStreamOpened(now_, id);
        break;
      case 1:
        server_.OnStreamReset(number < 128 ? id : unidirectional);
        break;
      case 2:
        server_.OnStopSending(id);
        break;
      case 3:
        if (!streams_.stream(id).fin) streams_.stream(id).room = number * 64;
        server_.OnWritable(now_, id);
        break;
      case 4:
        now_ += TimeDelta::Millis(number * 50);
        server_.HandleTimeout(now_);
        SLUICE_CHECK(server_.NextTimeout() > now_);
        break;
      case 5:
        server_.OnStreamClosed(number < 128 ? id : number < 250 ? unidirectional : 3);
        break;
      case 6:
        service_.Finish(now_, id);
        break;
      case 7:
        if (number % 16 == 0) server_.Drain(now_);
        if (number % 16 == 1) server_.OnConnected(now_);
        break;
      case 8:
        server_.OnStreamData(now_, unidirectional, input.Bytes(number * 4), number == 0, false);
        break;
      case 9:
        server_.OnStreamData(now_, id, input.Bytes(number * 4), false, true);
        break;
      case 10:
      case 11:
        server_.OnStreamData(now_, id, input.Bytes(number * 4), true, false);
        break;
      default:
        server_.OnStreamData(now_, id, input.Bytes(number * 4), false, false);
    }
    SLUICE_CHECK(server_.open_requests() <= kLimits.requests);
    SLUICE_CHECK(pool_.free() + server_.buffers().taken() == kPool);
    SLUICE_CHECK(server_.state_bytes() <= kMaxHttpStateMemory);
  }

 private:
  HttpBufferPool pool_{kPool};
  RecordingHttpStreams streams_;
  AnyService service_;
  Timestamp now_ = Timestamp::Zero();
  // How often each was opened: never again under the same number.
  std::array<size_t, kStreams> times_opened_{};
  HttpServer server_{kLimits, streams_, service_, pool_};
};

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sluice::FuzzInput input(absl::MakeConstSpan(data, size));
  sluice::Connection connection;
  while (!input.empty()) connection.Do(input);
  return 0;
}

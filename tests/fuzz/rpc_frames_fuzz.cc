// Any bytes as what comes on the streams of calls, in any parts, for a server and for a client,
// with any other events in between. Nothing crashes, nothing is written behind an end, no more
// memory is used than there is, and when the connection goes nothing is left.
//
// The first byte says who gets it: 0 a server, 1 a client, 2 a reader of requests that is compared
// with itself when the bytes come at once (more by the same remainder of 3). After it come events
// of two bytes, what happens and a number, and the bytes that it needs.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_client.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_request_header.h"
#include "quic/rpc/rpc_request_reader.h"
#include "quic/rpc/rpc_server.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"
#include "quic/rpc/testing/recording_rpc_streams.h"

namespace sluice {
namespace {

using Bytes = absl::Span<const uint8_t>;

constexpr RpcLimits kLimits = {.calls = 3, .buffers = 2};
constexpr size_t kPool = 2;
// Of streams that events can name at a time; more than calls.
constexpr size_t kStreams = 16;

struct Event {
  uint8_t kind = 0;
  uint8_t number = 0;
  // Up to 8 times the number, for those that need some.
  Bytes bytes;
};

// False at the end.
bool TakeEvent(Bytes& rest, Event& event) {
  if (rest.size() < 2) return false;
  event = {.kind = rest[0], .number = rest[1], .bytes = {}};
  rest.remove_prefix(2);
  event.bytes = rest.first(std::min<size_t>(rest.size(), event.number * 8));
  return true;
}

// Answers at once, later or never, as the method's first letter says. What is sent has the sizes of
// what was asked.
class AnyService : public RpcService {
 public:
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override {
    SLUICE_CHECK(!request.method.empty() && request.method.size() <= kMaxRpcMethod);
    open.push_back(call);
    const size_t size = static_cast<size_t>(request.method[0] % 32) * 2500;
    (void)call.Send(now, std::vector<uint8_t>(size, 'a'));
    (void)call.Send(now, request.message);
    if (request.method[0] % 2 == 0) Finish(now, call.id());
  }
  void OnCancelled(const RpcCall& call, RpcCancelCause /*cause*/) override {
    SLUICE_CHECK(Forget(call.id())) << "a call that was not made, or had ended";
  }
  void OnWritable(Timestamp now, const RpcCall& call) override {
    (void)call.Send(now, std::vector<uint8_t>(100, 'w'));
  }
  void Finish(Timestamp now, RpcStreamId id) {
    const auto it =
        std::find_if(open.begin(), open.end(), [&](const RpcCall& c) { return c.id() == id; });
    if (it == open.end()) return;
    // False if a message before was broken, of which nobody else tells.
    it->Finish(now, RpcCode::kOk, "done");
    Forget(id);
  }
  bool Forget(RpcStreamId id) {
    return std::erase_if(open, [&](const RpcCall& c) { return c.id() == id; }) == 1;
  }

  std::vector<RpcCall> open;
};

void Server(Bytes rest) {
  RpcBufferPool pool(kPool);
  RecordingRpcStreams streams;
  AnyService service;
  Timestamp now = Timestamp::Zero();
  // How often each was opened: never again under the same number.
  std::array<RpcStreamId, kStreams> times_opened{};
  {
    RpcServerCounters counters;
    RpcServer server(kLimits, streams, service, pool, counters);
    Event event;
    while (TakeEvent(rest, event)) {
      const size_t place = event.kind / 16;
      if (event.kind % 16 == 0) ++times_opened[place];
      const auto id = static_cast<RpcStreamId>(
          4 * (kStreams * static_cast<size_t>(times_opened[place]) + place));
      switch (event.kind % 16) {
        case 0:
          streams.stream(id).room = event.number * 64;
          // The last place is for streams of a wrong kind.
          server.OnStreamOpened(now, place == kStreams - 1 ? id + 2 : id);
          break;
        case 1:
          server.OnStreamReset(id);
          break;
        case 2:
          server.OnStopSending(id);
          break;
        case 3:
          if (!streams.stream(id).fin) streams.stream(id).room = event.number * 64;
          server.OnWritable(now, id);
          break;
        case 4:
          now += TimeDelta::Millis(event.number * 50);
          server.HandleTimeout(now);
          SLUICE_CHECK(server.NextTimeout() > now);
          break;
        case 5:
          server.OnStreamClosed(id);
          break;
        case 6:
          service.Finish(now, id);
          break;
        default:
          server.OnStreamData(now, id, event.bytes, event.kind % 16 == 7, event.kind % 16 == 8);
          rest.remove_prefix(event.bytes.size());
      }
      SLUICE_CHECK(server.open_calls() <= kLimits.calls);
      SLUICE_CHECK(pool.free() + server.buffers().taken() == kPool);
    }
    server.OnConnectionClosed();
    SLUICE_CHECK(server.open_calls() == 0 && server.NextTimeout() == Timestamp::PlusInfinity());
  }
  SLUICE_CHECK(pool.free() == kPool);
}

class AnyEvents : public RpcClientEvents {
 public:
  void OnMessage(RpcStreamId id, Bytes message) override {
    SLUICE_CHECK(message.size() <= kMaxRpcMessage);
    if (message.size() == 1 && client != nullptr) client->Cancel(id);
  }
  void OnStatus(RpcStreamId /*id*/, const RpcStatus& status) override {
    SLUICE_CHECK(status.message.size() <= status.encoded.size());
    SLUICE_CHECK(status.encoded.size() <= kMaxRpcStatus);
  }
  void OnFailure(RpcStreamId /*id*/, const RpcFailure& /*failure*/) override {}

  RpcClient* client = nullptr;
};

void Client(Bytes rest) {
  RpcBufferPool pool(kPool);
  RecordingRpcStreams streams;
  AnyEvents events;
  Timestamp now = Timestamp::Zero();
  {
    RpcClient client(kLimits, streams, events, pool);
    events.client = &client;
    Event event;
    while (TakeEvent(rest, event)) {
      const RpcStreamId id = event.kind / 16 * 4;
      switch (event.kind % 16) {
        case 0:
          streams.SetRoomOfNewStreams(event.number * 64);
          (void)client.Start(
              now, {.method = "Join", .token = "", .timeout = TimeDelta::Seconds(event.number)},
              std::vector<uint8_t>(event.number * 100));
          break;
        case 1:
          client.OnStreamReset(id, event.number);
          break;
        case 2:
          client.OnStopSending(id);
          break;
        case 3:
          if (!streams.stream(id).fin) streams.stream(id).room = event.number * 64;
          client.OnWritable(id);
          break;
        case 4:
          now += TimeDelta::Millis(event.number * 50);
          client.HandleTimeout(now);
          SLUICE_CHECK(client.NextTimeout() > now);
          break;
        case 5:
          client.OnStreamClosed(id);
          break;
        case 6:
          client.Cancel(id);
          break;
        default:
          client.OnStreamData(id, event.bytes, event.kind % 16 == 7);
          rest.remove_prefix(event.bytes.size());
      }
      SLUICE_CHECK(client.open_calls() <= kLimits.calls);
      SLUICE_CHECK(pool.free() + client.buffers().taken() == kPool);
    }
    client.OnConnectionClosed();
    SLUICE_CHECK(client.open_calls() == 0);
  }
  SLUICE_CHECK(pool.free() == kPool);
}

// The first number says into how large parts the rest is cut.
void Request(Bytes rest) {
  if (rest.empty()) return;
  const size_t part = rest[0] % 64 + 1;
  rest.remove_prefix(1);
  RpcBufferPool pool(2);
  RpcBufferShare share(pool, 2);
  RpcRequestReader whole;
  const RpcRequestReader::Verdict expected = whole.Read(rest, true, share);
  RpcRequestReader reader;
  RpcRequestReader::Verdict verdict = RpcRequestReader::Verdict::kIncomplete;
  while (verdict == RpcRequestReader::Verdict::kIncomplete) {
    const size_t size = std::min(part, rest.size());
    verdict = reader.Read(rest.first(size), size == rest.size(), share);
    rest.remove_prefix(size);
  }
  SLUICE_CHECK(verdict == expected);
  if (verdict != RpcRequestReader::Verdict::kComplete) return;
  SLUICE_CHECK(reader.header() == whole.header());
  SLUICE_CHECK(reader.message() == whole.message());
  std::vector<uint8_t> buffer(kMaxRpcHeader);
  const auto again = EncodeRpcRequestHeader(reader.header(), absl::MakeSpan(buffer));
  SLUICE_CHECK(again.has_value() && DecodeRpcRequestHeader(*again) == reader.header());
}

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const absl::Span<const uint8_t> rest = absl::MakeConstSpan(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      sluice::Server(rest);
      break;
    case 1:
      sluice::Client(rest);
      break;
    default:
      sluice::Request(rest);
  }
  return 0;
}

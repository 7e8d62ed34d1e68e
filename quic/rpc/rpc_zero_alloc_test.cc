#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_client.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_outflow.h"
#include "quic/rpc/rpc_request_reader.h"
#include "quic/rpc/rpc_server.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"
#include "quic/rpc/testing/rpc_frame_bytes.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

// One stream's bytes at a time, kept in a fixed place.
class OneStream : public RpcClientStreams {
 public:
  size_t Write(RpcStreamId /*id*/, absl::Span<const uint8_t> bytes, bool /*fin*/) override {
    size_t size = 0;
    while (size < bytes.size() && size_ < room_) written_[size_++] = bytes[size++];
    return size;
  }
  void Reset(RpcStreamId /*id*/, RpcErrorCode /*code*/) override { ++resets; }
  void StopSending(RpcStreamId /*id*/, RpcErrorCode /*code*/) override {}
  std::optional<RpcStreamId> Open() override { return next_ += 4; }

  absl::Span<const uint8_t> written() const { return absl::MakeConstSpan(written_).first(size_); }
  void Begin(size_t room) {
    size_ = 0;
    room_ = room;
  }

  size_t resets = 0;

 private:
  std::array<uint8_t, 200'000> written_;
  size_t size_ = 0;
  size_t room_ = 0;
  RpcStreamId next_ = 0;
};

class AnsweringService : public RpcService {
 public:
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override {
    ++calls;
    (void)call.Send(now, request.message);
    (void)call.Send(now, request.message);
    call.Finish(now, RpcCode::kInternal, "a sentence that is no short string any more");
  }
  size_t calls = 0;
};

class CountingEvents : public RpcClientEvents {
 public:
  void OnMessage(RpcStreamId /*id*/, absl::Span<const uint8_t> /*message*/) override { ++events; }
  void OnStatus(RpcStreamId /*id*/, const RpcStatus& /*status*/) override { ++statuses; }
  void OnFailure(RpcStreamId /*id*/, const RpcFailure& /*failure*/) override { ++events; }
  size_t events = 0;
  size_t statuses = 0;
};

// A whole call, good or spoiled, in pieces, with or without room for the answer.
TEST(RpcZeroAllocTest, NothingIsAllocatedForACall) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(39);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  RpcBufferPool pool(8);
  static OneStream asked;
  static OneStream answered;
  AnsweringService service;
  CountingEvents events;
  RpcServerCounters counters;
  RpcServer server(RpcLimits(), answered, service, pool, counters);
  RpcClient client(RpcLimits(), asked, events, pool);
  const std::string message(60'000, 'm');
  const std::string token(2000, 't');
  Timestamp now = Timestamp::Zero();

  const uint64_t before = ThreadAllocations();
  for (int round = 0; round < 1000; ++round) {
    now += TimeDelta::Seconds(1);
    asked.Begin(150'000);
    answered.Begin(random.Below(3) == 0 ? random.Below(70'000) : 200'000);
    const auto text = TextBytes(message).first(random.Below(4) == 0 ? 30'000 : 300);
    const RpcStreamId id = *client.Start(
        now, {.method = "Join", .token = token, .timeout = TimeDelta::Seconds(9)}, text);
    absl::Span<const uint8_t> rest = asked.written();
    // Every fourth request is cut short.
    if (round % 4 == 0) rest = rest.first(random.Below(rest.size()));
    server.OnStreamOpened(now, id);
    while (!rest.empty()) {
      const size_t part = std::min<size_t>(rest.size(), random.Below(1200) + 1);
      server.OnStreamData(now, id, rest.first(part), part == rest.size(), false);
      rest.remove_prefix(part);
    }
    server.OnWritable(now, id);
    rest = answered.written();
    while (!rest.empty()) {
      const size_t part = std::min<size_t>(rest.size(), random.Below(1200) + 1);
      client.OnStreamData(id, rest.first(part), part == rest.size());
      rest.remove_prefix(part);
    }
    client.Cancel(id);
    server.OnStopSending(id);
    server.HandleTimeout(now);
    client.HandleTimeout(now);
  }
  const uint64_t allocations = ThreadAllocations() - before;

  EXPECT_EQ(allocations, 0u);
  EXPECT_GT(service.calls, 700u);
  EXPECT_GT(events.statuses, 300u);
  EXPECT_GT(events.events, 500u);
  EXPECT_GT(asked.resets + answered.resets, 300u);
  EXPECT_EQ(pool.free(), 8u);
}

// A connection that is idle, whatever it has been through.
TEST(RpcZeroAllocTest, AnIdleConnectionIsSmall) {
  RpcBufferPool pool(1);
  static OneStream streams;
  AnsweringService service;
  RpcServerCounters counters;
  const uint64_t before = ThreadAllocations();
  const RpcServer server(RpcLimits(), streams, service, pool, counters);
  EXPECT_EQ(ThreadAllocations() - before, 1u) << "its slots";
  EXPECT_LE(sizeof(RpcServer), 256u);
  EXPECT_LE(sizeof(RpcRequestReader) + sizeof(RpcOutflow), 256u);
}

}  // namespace
}  // namespace sluice

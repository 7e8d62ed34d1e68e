#include "quic/calls/rpc_protocol_server.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/calls/testing/call_world.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/quic_connection.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"
#include "quic/server/served_connections.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(RpcProtocolServerTest, HasTheNameAndTheCodeOfTheProtocol) {
  const CallWorld world(85);
  EXPECT_EQ(world.protocol->name(), kRpcProtocolName);
  EXPECT_EQ(world.protocol->no_error(), static_cast<uint64_t>(RpcErrorCode::kNone));
}

TEST(RpcProtocolServerTest, CountsCallsOfConnectionsThatAreAndThatWere) {
  CallWorld world(86);
  for (uint64_t connections = 1; connections <= 3; ++connections) {
    world.Connect();
    for (int i = 0; i < 2; ++i) {
      const auto id = world.Call("Echo", Bytes{1});
      ASSERT_TRUE(id.has_value());
      ASSERT_TRUE(world.RunUntilOver(*id, TimeDelta::Seconds(1)));
    }
    EXPECT_EQ(world.protocol->counters().calls.calls, 2 * connections);
    EXPECT_EQ(world.protocol->counters().calls.finished, 2 * connections);
    world.client->Close(world.link.now, world.client_out);
    world.link.RunFor(TimeDelta::Seconds(1));
    EXPECT_EQ(world.served->connections(), 0u);
  }
  EXPECT_EQ(world.served->counters().protocols[0].accepted, 3u);
}

TEST(RpcProtocolServerTest, AnAnswerFromElsewhereLeavesWithTheNextTurn) {
  CallWorld world(87);
  world.Connect();
  const auto id = world.Call("Wait", Bytes{1});
  ASSERT_TRUE(id.has_value());
  world.link.RunFor(TimeDelta::Seconds(1));
  ASSERT_EQ(world.service.waiting.size(), 1u);
  const uint64_t visits = world.served->counters().visits;
  EXPECT_TRUE(world.service.waiting[0].Finish(world.link.now, RpcCode::kOk, ""));
  EXPECT_LE(world.served->NextTimeout(), world.link.now);
  world.TurnServer();
  EXPECT_EQ(world.served->counters().visits, visits + 1);
  EXPECT_TRUE(world.RunUntilOver(*id, world.link.delay * 2));
}

TEST(RpcProtocolServerTest, ARequestThatFindsNoBufferIsCountedAndLaterOnesAreServed) {
  CallWorld world(88);
  world.Connect();
  {
    RpcBufferShare everything(world.buffers, 64);
    std::vector<RpcBuffer> taken;
    while (world.buffers.free() > 0) taken.push_back(everything.Take());
    const auto id = world.Call("Echo", Bytes(8'000, 1));
    ASSERT_TRUE(id.has_value());
    ASSERT_TRUE(world.RunUntilOver(*id, TimeDelta::Seconds(1)));
    EXPECT_TRUE(world.answers[*id].failure.has_value());
    EXPECT_EQ(world.protocol->counters().calls.requests_without_buffer, 1u);
    EXPECT_EQ(world.protocol->counters().buffers_exhausted, 1u);
  }
  const auto id = world.Call("Echo", Bytes(8'000, 1));
  ASSERT_TRUE(id.has_value());
  ASSERT_TRUE(world.RunUntilOver(*id, TimeDelta::Seconds(1)));
  EXPECT_EQ(world.answers[*id].status, 0);
}

TEST(RpcProtocolServerTest, OneSourceWithManyHalfRequestsLeavesBuffersForOthers) {
  RpcLimits limits;
  // As if all of them had come within ten seconds.
  limits.request_timeout = TimeDelta::Seconds(60);
  CallWorld world(90, limits);
  constexpr size_t kConnections = 40;
  constexpr size_t kCalls = 2;
  for (size_t i = 0; i < kConnections; ++i) {
    world.Connect();
    for (size_t call = 0; call < kCalls; ++call) {
      // Of each request the first datagram only.
      const size_t first = world.link.sent_by_client();
      world.link.pass = [first](bool from_client, size_t index) {
        return !from_client || index == first;
      };
      ASSERT_TRUE(world.Call("Echo", Bytes(8'000, 1)).has_value());
      world.link.RunFor(TimeDelta::Millis(1));
    }
    world.link.RunFor(world.link.delay * 2);
    world.link.pass = nullptr;
  }
  ASSERT_GT(kConnections * kCalls, world.buffers.source_limit());
  EXPECT_EQ(world.buffers.free(), 64 - world.buffers.source_limit());
  const RpcProtocolCounters counters = world.protocol->counters();
  EXPECT_EQ(counters.source_exhausted, kConnections * kCalls - world.buffers.source_limit());
  EXPECT_EQ(counters.calls.requests_without_buffer, counters.source_exhausted);
  EXPECT_EQ(counters.buffers_exhausted, 0u);

  world.client_ip = {198, 51, 100, 7};
  world.Connect();
  const auto id = world.Call("Echo", Bytes(8'000, 1));
  ASSERT_TRUE(id.has_value());
  EXPECT_TRUE(world.RunUntilOver(*id, world.link.delay * 4));
  EXPECT_EQ(world.answers[*id].status, 0);
  EXPECT_EQ(world.protocol->counters().source_exhausted, counters.source_exhausted);
}

TEST(RpcProtocolServerTest, AClientThatOnlyMakesCallsAndGivesThemUpIsSentAway) {
  CallWorld world(89);
  world.Connect();
  constexpr uint64_t kTooMany = 1000;
  uint64_t calls = 0;
  for (; calls < kTooMany && !world.client->connection().ended(); ++calls) {
    const auto id = world.Call("Wait", Bytes{1});
    if (id.has_value()) world.Cancel(*id);
    world.link.RunFor(TimeDelta::Millis(1));
  }
  EXPECT_LT(calls, kTooMany);
  EXPECT_EQ(world.client->connection().reason(),
            (CloseReason{CloseCause::kRemoteApplication,
                         static_cast<uint64_t>(RpcErrorCode::kExcessiveLoad)}));
  EXPECT_EQ(world.served->counters().overloading, 1u);
  // Whoever comes next is served.
  world.Connect();
  const auto id = world.Call("Echo", Bytes{1});
  ASSERT_TRUE(id.has_value());
  EXPECT_TRUE(world.RunUntilOver(*id, TimeDelta::Seconds(1)));
}

}  // namespace
}  // namespace sluice

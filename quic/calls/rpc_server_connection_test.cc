#include "quic/calls/rpc_server_connection.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/calls/testing/call_world.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_server.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// Calls on a connection that is made.
class RpcServerConnectionTest : public testing::Test {
 protected:
  RpcServerConnectionTest() { world_.Connect(); }

  RpcServerCounters counters() { return world_.protocol->counters().calls; }
  // Nothing is kept of any call.
  void ExpectNothingIsLeft() {
    world_.link.RunFor(TimeDelta::Seconds(2));
    EXPECT_EQ(world_.server().server().open_calls(), 0u);
    EXPECT_EQ(world_.client->client().open_calls(), 0u);
    EXPECT_EQ(world_.buffers.free(), 64u);
    EXPECT_EQ(world_.client_streams.free_streams(), 128u);
    EXPECT_EQ(world_.endpoint->send_pool().free_streams(), 256u);
    EXPECT_EQ(world_.endpoint->send_pool().free_blocks(), 2048u);
  }

  CallWorld world_{80};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", world_.random.seed())};
};

TEST_F(RpcServerConnectionTest, ACallIsAnsweredInOneRoundTrip) {
  const auto id = world_.Call("Echo", Bytes{1, 2, 3});
  ASSERT_TRUE(id.has_value());
  EXPECT_TRUE(world_.RunUntilOver(*id, world_.link.delay * 2));
  EXPECT_EQ(world_.answers[*id].status, 0);
  EXPECT_EQ(world_.answers[*id].messages, std::vector<Bytes>{(Bytes{1, 2, 3})});
  EXPECT_EQ(world_.service.early_calls, 0);
  ExpectNothingIsLeft();
}

TEST_F(RpcServerConnectionTest, TheLongestMessagesGoBothWays) {
  const Bytes message(64 * 1024, 7);
  const auto id = world_.Call("Echo", message);
  ASSERT_TRUE(id.has_value());
  EXPECT_TRUE(world_.RunUntilOver(*id, TimeDelta::Seconds(5)));
  EXPECT_EQ(world_.answers[*id].status, 0);
  ASSERT_EQ(world_.answers[*id].messages.size(), 1u);
  EXPECT_EQ(world_.answers[*id].messages[0], message);
  ExpectNothingIsLeft();
}

TEST_F(RpcServerConnectionTest, AConnectionMakesAnyNumberOfCallsOneAfterTheOther) {
  // Far more bytes and streams than a connection may use at once.
  for (uint8_t i = 0; i < 100; ++i) {
    const auto id = world_.Call("Echo", Bytes(8'000, i));
    ASSERT_TRUE(id.has_value()) << int{i};
    ASSERT_TRUE(world_.RunUntilOver(*id, TimeDelta::Seconds(1))) << int{i};
    EXPECT_EQ(world_.answers[*id].messages, std::vector<Bytes>{Bytes(8'000, i)});
  }
  EXPECT_EQ(counters().finished, 100u);
  ExpectNothingIsLeft();
}

TEST_F(RpcServerConnectionTest, AServiceWaitsForTheClientAndAllArrivesInOrder) {
  const auto id = world_.Call("Count", Bytes{200});
  ASSERT_TRUE(id.has_value());
  // Nothing reaches the client for a while.
  world_.link.pass = [](bool from_client, size_t) { return from_client; };
  world_.link.RunFor(TimeDelta::Millis(500));
  EXPECT_EQ(world_.service.blocked, 1);
  EXPECT_LT(counters().messages, 20u);
  world_.link.pass = nullptr;
  EXPECT_TRUE(world_.RunUntilOver(*id, TimeDelta::Seconds(20)));
  EXPECT_EQ(world_.answers[*id].status, 0);
  ASSERT_EQ(world_.answers[*id].messages.size(), 200u);
  for (size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(world_.answers[*id].messages[i],
              Bytes(TestCallService::kCountedSize, static_cast<uint8_t>(200 - i)));
  }
  EXPECT_GT(world_.service.blocked, 1);
  ExpectNothingIsLeft();
}

TEST_F(RpcServerConnectionTest, WhatTheClientCancelsTheServiceHearsOf) {
  const auto id = world_.Call("Wait", Bytes{1});
  ASSERT_TRUE(id.has_value());
  world_.link.RunFor(TimeDelta::Millis(100));
  ASSERT_EQ(world_.service.waiting.size(), 1u);
  world_.Cancel(*id);
  // A server that says nothing hears of it when the stream is closed: the transport has answered,
  // and the client has acknowledged that.
  world_.link.RunFor(world_.link.delay * 3 + TimeDelta::Millis(30));
  EXPECT_EQ(world_.service.cancelled, std::vector{RpcCancelCause::kByClient});
  EXPECT_FALSE(world_.service.waiting[0].Finish(world_.link.now, RpcCode::kOk, ""));
  EXPECT_FALSE(world_.answers[*id].over());
  ExpectNothingIsLeft();
}

TEST_F(RpcServerConnectionTest, ACallIsCancelledWhileItsAnswersCome) {
  const auto id = world_.Call("Count", Bytes{250});
  ASSERT_TRUE(id.has_value());
  world_.link.RunFor(TimeDelta::Seconds(5),
                     [&] { return world_.answers[*id].messages.size() > 3; });
  world_.Cancel(*id);
  const size_t messages = world_.answers[*id].messages.size();
  world_.link.RunFor(TimeDelta::Millis(500));
  EXPECT_EQ(world_.answers[*id].messages.size(), messages);
  EXPECT_EQ(world_.service.cancelled, std::vector{RpcCancelCause::kByClient});
  // The connection has all of its credit back.
  const auto next = world_.Call("Count", Bytes{60});
  ASSERT_TRUE(next.has_value());
  EXPECT_TRUE(world_.RunUntilOver(*next, TimeDelta::Seconds(10)));
  EXPECT_EQ(world_.answers[*next].messages.size(), 60u);
  ExpectNothingIsLeft();
}

TEST_F(RpcServerConnectionTest, TheServerEndsACallOutsideOfEvents) {
  const auto id = world_.Call("Wait", Bytes{1});
  ASSERT_TRUE(id.has_value());
  world_.link.RunFor(TimeDelta::Seconds(3));
  ASSERT_EQ(world_.service.waiting.size(), 1u);
  EXPECT_FALSE(world_.server().TakeUnsent());
  EXPECT_TRUE(world_.service.waiting[0].Finish(world_.link.now, RpcCode::kCancelled, "no more"));
  world_.TurnServer();
  EXPECT_FALSE(world_.server().TakeUnsent());
  EXPECT_TRUE(world_.RunUntilOver(*id, world_.link.delay * 2));
  EXPECT_EQ(world_.answers[*id].status, static_cast<int32_t>(RpcCode::kCancelled));
  ExpectNothingIsLeft();
}

TEST_F(RpcServerConnectionTest, ADeadlineEndsTheCallOnBothSidesWhenItIsDue) {
  const Timestamp start = world_.link.now;
  const auto id = world_.Call("Wait", Bytes{1}, TimeDelta::Millis(300));
  ASSERT_TRUE(id.has_value());
  EXPECT_TRUE(world_.RunUntilOver(*id, TimeDelta::Seconds(1)));
  EXPECT_EQ(world_.link.now - start, TimeDelta::Millis(300));
  ASSERT_TRUE(world_.answers[*id].failure.has_value());
  EXPECT_EQ(world_.answers[*id].failure->cause, RpcFailureCause::kDeadline);
  world_.link.RunFor(world_.link.delay * 2);
  // Counted from when each learned of the call, so that the server's is due after the client's.
  EXPECT_EQ(world_.service.cancelled, std::vector{RpcCancelCause::kDeadline});
  ExpectNothingIsLeft();
}

TEST_F(RpcServerConnectionTest, TwentyCallsAtOnceShareTheConnection) {
  RpcLimits limits;
  limits.calls = 20;
  // Their datagrams cut requests anywhere.
  limits.buffers = 20;
  world_.RestartServer(limits, false);
  world_.StartClient();
  world_.link.RunFor(TimeDelta::Millis(300));
  ASSERT_TRUE(world_.connected);
  std::vector<RpcStreamId> ids;
  for (uint8_t i = 0; i < 20; ++i) {
    const auto id = world_.Call("Echo", Bytes(1'000, i));
    ASSERT_TRUE(id.has_value()) << int{i};
    ids.push_back(*id);
  }
  EXPECT_FALSE(world_.Call("Echo", Bytes{1}).has_value());
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_TRUE(world_.RunUntilOver(ids[i], TimeDelta::Seconds(5)));
    EXPECT_EQ(world_.answers[ids[i]].status, 0);
    EXPECT_EQ(world_.answers[ids[i]].messages,
              std::vector<Bytes>{Bytes(1'000, static_cast<uint8_t>(i))});
  }
  EXPECT_EQ(counters().too_many_calls, 0u);
  ExpectNothingIsLeft();
}

TEST_F(RpcServerConnectionTest, CallsSurviveTheLossOfATenthOfAllDatagrams) {
  world_.link.lost_per_mille = 100;
  for (uint8_t i = 0; i < 30; ++i) {
    const auto id = world_.Call("Echo", Bytes(3'000, i));
    ASSERT_TRUE(id.has_value());
    ASSERT_TRUE(world_.RunUntilOver(*id, TimeDelta::Seconds(20))) << int{i};
    EXPECT_EQ(world_.answers[*id].messages, std::vector<Bytes>{Bytes(3'000, i)});
  }
  const auto id = world_.Call("Count", Bytes{40});
  ASSERT_TRUE(id.has_value());
  ASSERT_TRUE(world_.RunUntilOver(*id, TimeDelta::Seconds(60)));
  EXPECT_EQ(world_.answers[*id].status, 0);
  EXPECT_EQ(world_.answers[*id].messages.size(), 40u);
  world_.link.lost_per_mille = 0;
  ExpectNothingIsLeft();
}

}  // namespace
}  // namespace sluice

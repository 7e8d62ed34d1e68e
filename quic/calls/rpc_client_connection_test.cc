#include "quic/calls/rpc_client_connection.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/calls/rpc_connection_end.h"
#include "quic/calls/rpc_server_connection.h"
#include "quic/calls/testing/call_world.h"
#include "quic/connection/close_reason.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"
#include "quic/server/served_connections.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// How connections begin and end, and what becomes of calls.
class RpcClientConnectionTest : public testing::Test {
 protected:
  void Close(uint64_t code) {
    EXPECT_TRUE(world_.endpoint->CloseSome(world_.link.now, code, world_.server_out));
    world_.link.RunFor(world_.link.delay * 2);
  }

  uint64_t EndedOnServer(CloseCause cause) {
    return world_.served->counters().protocols[0].ended[static_cast<size_t>(cause)];
  }

  CallWorld world_{81, RpcLimits(), /*early_data=*/true};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", world_.random.seed())};
};

TEST_F(RpcClientConnectionTest, NoCallIsMadeBeforeTheConnectionIs) {
  world_.StartClient();
  EXPECT_FALSE(world_.Call("Echo", Bytes{1}).has_value());
  EXPECT_FALSE(
      world_.Call("Echo", Bytes{1}, TimeDelta::PlusInfinity(), RpcReplay::kHarmless).has_value());
  world_.link.RunFor(TimeDelta::Millis(200));
  ASSERT_TRUE(world_.connected);
  EXPECT_TRUE(world_.Call("Echo", Bytes{1}).has_value());
}

TEST_F(RpcClientConnectionTest, AHarmlessCallGoesOutWithTheFirstFlightAndTheServiceKnows) {
  world_.Connect();
  world_.StartClient(/*resume=*/true);
  EXPECT_FALSE(world_.Call("Echo", Bytes{1}).has_value());
  const auto id = world_.Call("Echo", Bytes{2}, TimeDelta::PlusInfinity(), RpcReplay::kHarmless);
  ASSERT_TRUE(id.has_value());
  // One round trip, and what pacing adds to it.
  EXPECT_TRUE(world_.RunUntilOver(*id, world_.link.delay * 2 + TimeDelta::Millis(1)));
  EXPECT_EQ(world_.service.early_calls, 1);
  EXPECT_EQ(world_.answers[*id].messages, std::vector<Bytes>{Bytes{2}});
  EXPECT_TRUE(world_.client->connection().early_data_accepted());
  EXPECT_EQ(world_.client->early_data_rejected(), 0u);
}

TEST_F(RpcClientConnectionTest, AServiceRefusesAnEarlyCallAndTakesItLater) {
  world_.Connect();
  world_.StartClient(/*resume=*/true);
  const auto early = world_.Call("Once", Bytes{1}, TimeDelta::PlusInfinity(), RpcReplay::kHarmless);
  ASSERT_TRUE(early.has_value());
  EXPECT_TRUE(world_.RunUntilOver(*early, TimeDelta::Seconds(1)));
  EXPECT_EQ(world_.answers[*early].status, TestCallService::kRefusedEarly);
  world_.link.RunFor(TimeDelta::Millis(100));
  const auto later = world_.Call("Once", Bytes{1});
  ASSERT_TRUE(later.has_value());
  EXPECT_TRUE(world_.RunUntilOver(*later, TimeDelta::Seconds(1)));
  EXPECT_EQ(world_.answers[*later].status, 0);
  EXPECT_EQ(world_.service.early_calls, 1);
}

TEST_F(RpcClientConnectionTest, CallsOfRejectedEarlyDataFailAndAreMadeAgain) {
  world_.Connect();
  RpcLimits smaller;
  smaller.calls = 4;
  world_.RestartServer(smaller, /*early_data=*/true);
  world_.StartClient(/*resume=*/true);
  const auto early = world_.Call("Echo", Bytes{1}, TimeDelta::PlusInfinity(), RpcReplay::kHarmless);
  ASSERT_TRUE(early.has_value());
  EXPECT_TRUE(world_.RunUntilOver(*early, TimeDelta::Seconds(1)));
  EXPECT_EQ(world_.answers[*early].failure,
            (RpcFailure{.cause = RpcFailureCause::kConnectionLost, .code = 0}));
  EXPECT_EQ(world_.early_rejections, 1);
  EXPECT_EQ(world_.client->early_data_rejected(), 1u);
  EXPECT_EQ(world_.service.calls, 0);
  world_.link.RunFor(TimeDelta::Millis(100));
  ASSERT_TRUE(world_.connected);
  // Streams begin anew, and with them the names of calls.
  world_.answers.clear();
  const auto again = world_.Call("Echo", Bytes{1});
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(world_.RunUntilOver(*again, TimeDelta::Seconds(1)));
  EXPECT_EQ(world_.answers[*again].status, 0);
  EXPECT_EQ(world_.service.early_calls, 0);
}

TEST_F(RpcClientConnectionTest, WhenNothingGetsThroughAnyMoreBothSidesGiveUpTheCalls) {
  world_.Connect();
  const auto id = world_.Call("Wait", Bytes{1});
  ASSERT_TRUE(id.has_value());
  world_.link.RunFor(TimeDelta::Millis(100));
  ASSERT_EQ(world_.service.waiting.size(), 1u);
  world_.link.pass = [](bool, size_t) { return false; };
  world_.link.RunFor(TimeDelta::Seconds(40));
  EXPECT_EQ(world_.ended, RpcConnectionEnd::kLost);
  EXPECT_EQ(world_.answers[*id].failure,
            (RpcFailure{.cause = RpcFailureCause::kConnectionLost, .code = 0}));
  EXPECT_EQ(world_.service.cancelled, std::vector{RpcCancelCause::kConnectionLost});
  EXPECT_EQ(EndedOnServer(CloseCause::kIdleTimeout), 1u);
  EXPECT_EQ(world_.served->connections(), 0u);
  EXPECT_FALSE(world_.Call("Echo", Bytes{1}).has_value());
  EXPECT_EQ(world_.buffers.free(), 64u);
}

TEST_F(RpcClientConnectionTest, AClientThatGoesCancelsItsCalls) {
  world_.Connect();
  const auto id = world_.Call("Wait", Bytes{1});
  ASSERT_TRUE(id.has_value());
  world_.link.RunFor(TimeDelta::Millis(100));
  world_.client->Close(world_.link.now, world_.client_out);
  EXPECT_EQ(world_.ended, RpcConnectionEnd::kByUs);
  EXPECT_TRUE(world_.answers[*id].failure.has_value());
  world_.link.RunFor(world_.link.delay * 2);
  EXPECT_EQ(EndedOnServer(CloseCause::kRemoteApplication), 1u);
  EXPECT_EQ(world_.service.cancelled, std::vector{RpcCancelCause::kConnectionLost});
  world_.link.RunFor(TimeDelta::Seconds(5));
  EXPECT_TRUE(world_.client->over());
}

TEST_F(RpcClientConnectionTest, ADrainingServerRefusesNewCallsAndEndsWhenTheOldOnesAreAnswered) {
  world_.Connect();
  const auto old = world_.Call("Wait", Bytes{1});
  ASSERT_TRUE(old.has_value());
  world_.link.RunFor(TimeDelta::Millis(100));
  EXPECT_FALSE(world_.server().drained());
  world_.served->Drain();
  world_.TurnServer();
  EXPECT_FALSE(world_.server().drained());
  const auto refused = world_.Call("Echo", Bytes{1});
  ASSERT_TRUE(refused.has_value());
  EXPECT_TRUE(world_.RunUntilOver(*refused, TimeDelta::Seconds(1)));
  EXPECT_EQ(world_.answers[*refused].failure,
            (RpcFailure{.cause = RpcFailureCause::kByServer,
                        .code = static_cast<uint64_t>(RpcErrorCode::kRefused)}));
  world_.service.waiting[0].Finish(world_.link.now, RpcCode::kOk, "");
  world_.TurnServer();
  // Not before the client has the answer.
  EXPECT_EQ(world_.server().server().open_calls(), 0u);
  EXPECT_FALSE(world_.server().drained());
  world_.link.RunFor(TimeDelta::Millis(200));
  EXPECT_EQ(world_.answers[*old].status, 0);
  EXPECT_EQ(world_.ended, RpcConnectionEnd::kDrained);
  EXPECT_EQ(world_.served->counters().drained, 1u);
}

TEST_F(RpcClientConnectionTest, AServerThatIsClosedForAnotherReasonSaysSo) {
  world_.Connect();
  Close(static_cast<uint64_t>(RpcErrorCode::kInternal));
  EXPECT_EQ(world_.ended, RpcConnectionEnd::kByPeer);
  world_.TurnServer();
  EXPECT_EQ(EndedOnServer(CloseCause::kLocalApplication), 1u);
}

TEST_F(RpcClientConnectionTest, AServerThatTakesNobodyAnyMoreRefuses) {
  world_.endpoint->StopAccepting();
  world_.StartClient();
  world_.link.RunFor(TimeDelta::Seconds(1));
  EXPECT_EQ(world_.ended, RpcConnectionEnd::kRefused);
}

TEST_F(RpcClientConnectionTest, ASilentServerIsUnreachable) {
  world_.link.pass = [](bool, size_t) { return false; };
  world_.StartClient();
  world_.link.RunFor(TimeDelta::Seconds(11));
  EXPECT_EQ(world_.ended, RpcConnectionEnd::kUnreachable);
}

}  // namespace
}  // namespace sluice

// Client and server against each other: what is asked arrives, what is answered comes back, however
// streams are cut and overtake each other, and afterwards nothing is left.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_client.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_server.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"
#include "quic/rpc/testing/recording_rpc_streams.h"
#include "quic/rpc/testing/rpc_frame_bytes.h"
#include "quic/rpc/testing/rpc_stream_pair.h"

namespace sluice {
namespace {

std::string Text(absl::Span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

// "Echo" sends the message back as often as it has bytes modulo 4, then its length modulo 100 as
// the status's code; goes on when it is told that there is room. "Wait" waits to be ended by
// somebody.
class EchoService : public RpcService {
 public:
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override {
    if (request.method == "Wait") {
      waiting.insert({call.id(), call});
      return;
    }
    const std::string message = Text(request.message);
    Continue(now, call, {.message = message, .left = message.size() % 4});
  }
  void OnCancelled(const RpcCall& call, RpcCancelCause cause) override {
    ++cancelled[static_cast<size_t>(cause)];
    waiting.erase(call.id());
    blocked_.erase(call.id());
  }
  void OnWritable(Timestamp now, const RpcCall& call) override {
    const auto it = blocked_.find(call.id());
    ASSERT_NE(it, blocked_.end());
    const Work work = it->second;
    blocked_.erase(it);
    Continue(now, call, work);
  }

  size_t busy() const { return waiting.size() + blocked_.size(); }

  std::map<RpcStreamId, RpcCall> waiting;
  size_t cancelled[kRpcCancelCauseCount] = {};
  size_t blocked_count = 0;

 private:
  struct Work {
    std::string message;
    size_t left = 0;
  };

  void Continue(Timestamp now, const RpcCall& call, Work work) {
    for (; work.left > 0; --work.left) {
      const RpcSendVerdict verdict = call.Send(now, TextBytes(work.message));
      if (verdict == RpcSendVerdict::kBlocked) {
        ++blocked_count;
        blocked_.insert({call.id(), work});
        return;
      }
      if (verdict != RpcSendVerdict::kSent) return;
    }
    const std::string status = {8, static_cast<char>(work.message.size() % 100)};
    EXPECT_TRUE(call.Finish(now, TextBytes(status)));
  }

  std::map<RpcStreamId, Work> blocked_;
};

// Compares what comes with what must.
class CheckingEvents : public RpcClientEvents {
 public:
  void OnMessage(RpcStreamId id, absl::Span<const uint8_t> message) override {
    ASSERT_TRUE(calls.contains(id));
    EXPECT_EQ(Text(message) == calls[id].message, true);
    ++calls[id].echoes;
  }
  void OnStatus(RpcStreamId id, const RpcStatus& status) override {
    ASSERT_TRUE(calls.contains(id));
    if (calls[id].is_echo) {
      EXPECT_EQ(status.code, static_cast<int>(calls[id].message.size() % 100));
      EXPECT_EQ(calls[id].echoes, calls[id].message.size() % 4);
      ++echoed;
    } else {
      ++statuses[status.code];
    }
    calls.erase(id);
  }
  void OnFailure(RpcStreamId id, const RpcFailure& failure) override {
    ++failures[absl::StrCat(static_cast<int>(failure.cause), " ", RpcErrorCodeName(failure.code))];
    calls.erase(id);
  }

  struct Call {
    bool is_echo = false;
    std::string message;
    size_t echoes = 0;
  };
  std::map<RpcStreamId, Call> calls;
  size_t echoed = 0;
  std::map<int, size_t> statuses;
  std::map<std::string, size_t> failures;
};

class RpcExchangeTest : public testing::Test {
 protected:
  RpcExchangeTest() { pair_.Attach(client_, server_); }

  // Whether there was room for a call.
  bool Start(bool is_echo, const std::string& message, TimeDelta timeout) {
    const absl::StatusOr<RpcStreamId> id = client_.Start(
        now_, {.method = is_echo ? "Echo" : "Wait", .token = "token", .timeout = timeout},
        TextBytes(message));
    if (id.ok()) events_.calls[*id] = {.is_echo = is_echo, .message = message, .echoes = 0};
    return id.ok();
  }
  void HandleTimeouts() {
    client_.HandleTimeout(now_);
    server_.HandleTimeout(now_);
  }
  void ExpectNothingLeft() {
    EXPECT_EQ(client_.open_calls(), 0u);
    EXPECT_EQ(server_.open_calls(), 0u);
    EXPECT_EQ(service_.busy(), 0u);
    EXPECT_TRUE(events_.calls.empty());
    EXPECT_EQ(client_pool_.free(), kBuffers);
    EXPECT_EQ(server_pool_.free(), kBuffers);
    EXPECT_EQ(client_.NextTimeout(), Timestamp::PlusInfinity());
    EXPECT_EQ(server_.NextTimeout(), Timestamp::PlusInfinity());
  }

  static constexpr size_t kBuffers = 16;
  const RpcLimits limits_ = {.calls = 8, .buffers = 16};
  Timestamp now_ = Timestamp::Seconds(1);
  RpcBufferPool client_pool_{kBuffers};
  RpcBufferPool server_pool_{kBuffers};
  RpcStreamPair pair_{20'000};
  EchoService service_;
  CheckingEvents events_;
  RpcClient client_{limits_, pair_.client_streams(), events_, client_pool_};
  RpcServerCounters counters_;
  RpcServer server_{limits_, pair_.server_streams(), service_, server_pool_, counters_};
};

TEST_F(RpcExchangeTest, EveryCallIsEchoedHoweverItsBytesAreCut) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(37);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  size_t started = 0;
  for (int round = 0; round < 400; ++round) {
    const size_t size = random.Below(random.Below(5) == 0 ? 65'537 : 200);
    const std::string message(size, static_cast<char>('a' + round % 26));
    if (Start(/*is_echo=*/true, message, TimeDelta::PlusInfinity())) ++started;
    const size_t part = random.Below(3) == 0 ? 3 : 5000;
    for (uint64_t steps = random.Below(30); steps > 0; --steps) pair_.Step(now_, random, part);
  }
  pair_.Run(now_, random, 5000);
  ExpectNothingLeft();
  // A call's place here is free before the server's, which then refuses the next one.
  const size_t refused = events_.failures["1 refused"];
  EXPECT_EQ(events_.echoed + refused, started);
  EXPECT_EQ(refused, counters_.too_many_calls);
  EXPECT_GT(events_.echoed, 200u);
  EXPECT_GT(service_.blocked_count, 0u);
  EXPECT_EQ(counters_.frames_unexpected + counters_.requests_truncated, 0u);
}

TEST_F(RpcExchangeTest, WhoeverIsFirstEndsACallAndNothingIsLeft) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(38);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  size_t ended_by_service = 0;
  for (int round = 0; round < 20'000; ++round) {
    now_ += TimeDelta::Millis(static_cast<int64_t>(random.Below(20)));
    switch (random.Below(16)) {
      case 0:
        Start(random.Below(2) == 0, std::string(random.Below(50'000), 'x'),
              random.Below(2) == 0 ? TimeDelta::PlusInfinity()
                                   : TimeDelta::Millis(static_cast<int64_t>(random.Below(2000))));
        break;
      case 1:
        if (!events_.calls.empty()) {
          const auto call = std::next(events_.calls.begin(),
                                      static_cast<int>(random.Below(events_.calls.size())));
          EXPECT_TRUE(client_.Cancel(call->first));
          events_.calls.erase(call);
        }
        break;
      case 2:
        if (!service_.waiting.empty()) {
          const RpcCall call = service_.waiting.begin()->second;
          service_.waiting.erase(service_.waiting.begin());
          EXPECT_TRUE(call.Finish(now_, RpcCode::kOk, "enough"));
          ++ended_by_service;
        }
        break;
      case 3:
        HandleTimeouts();
        break;
      default:
        pair_.Step(now_, random, 4000);
    }
  }
  while (!service_.waiting.empty() || !events_.calls.empty()) {
    pair_.Run(now_, random, 4000);
    for (const auto& [id, call] : service_.waiting) call.Finish(now_, RpcCode::kOk, "end");
    service_.waiting.clear();
    pair_.Run(now_, random, 4000);
    now_ += TimeDelta::Seconds(10);
    HandleTimeouts();
  }
  pair_.Run(now_, random, 4000);
  ExpectNothingLeft();
  EXPECT_GT(events_.echoed, 50u);
  EXPECT_GT(ended_by_service, 10u);
  EXPECT_GT(service_.cancelled[static_cast<size_t>(RpcCancelCause::kByClient)], 10u);
  EXPECT_GT(events_.failures["0 cancelled"], 10u);
}

TEST_F(RpcExchangeTest, TheServersDeadlineReachesAClientThatWatchesNone) {
  SeededRandom random(1);
  ASSERT_TRUE(Start(/*is_echo=*/false, "", TimeDelta::Seconds(2)));
  pair_.Run(now_, random, 100);
  EXPECT_EQ(service_.waiting.size(), 1u);
  server_.HandleTimeout(now_ + TimeDelta::Seconds(2));
  pair_.Run(now_, random, 100);
  EXPECT_EQ(events_.statuses[static_cast<int>(RpcCode::kDeadlineExceeded)], 1u);
  ExpectNothingLeft();
}

TEST_F(RpcExchangeTest, AClientThatDoesNotReadCostsOneBufferPerCallAndOnlyForAWhile) {
  SeededRandom random(2);
  pair_.HoldAnswers(true);
  for (size_t i = 0; i < limits_.calls; ++i) {
    ASSERT_TRUE(Start(/*is_echo=*/true, std::string(40'003, 'x'), TimeDelta::PlusInfinity()));
  }
  pair_.Run(now_, random, 5000);
  EXPECT_EQ(server_.buffers().taken(), limits_.calls);
  EXPECT_GT(service_.blocked_count, 0u);
  const size_t open = server_.open_calls();
  EXPECT_EQ(open, limits_.calls);
  pair_.HoldAnswers(false);
  pair_.Run(now_, random, 5000);
  EXPECT_EQ(events_.echoed, limits_.calls);
  ExpectNothingLeft();
}

TEST_F(RpcExchangeTest, WhenTheConnectionGoesBothEndsKnow) {
  SeededRandom random(3);
  ASSERT_TRUE(Start(/*is_echo=*/false, "", TimeDelta::PlusInfinity()));
  pair_.Run(now_, random, 100);
  client_.OnConnectionClosed();
  server_.OnConnectionClosed();
  EXPECT_EQ(events_.failures["3 none"], 1u);
  EXPECT_EQ(service_.cancelled[static_cast<size_t>(RpcCancelCause::kConnectionLost)], 1u);
  ExpectNothingLeft();
}

// The example of README.md.
class PingService : public RpcService {
 public:
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override {
    if (request.method != "Ping") {
      call.Finish(now, RpcCode::kUnimplemented, "no such method");
      return;
    }
    EXPECT_EQ(request.token, "t");
    EXPECT_EQ(request.deadline, now + TimeDelta::Millis(300));
    EXPECT_EQ(Text(request.message), "hi");
    if (call.Send(now, TextBytes("ho")) == RpcSendVerdict::kSent)
      call.Finish(now, RpcCode::kOk, "");
  }
};

TEST(RpcWireTest, TheBytesAreThoseOfTheReadme) {
  const Timestamp now = Timestamp::Seconds(7);
  RpcBufferPool pool(1);
  RecordingRpcStreams asked;
  RecordingRpcStreams answered;
  CheckingEvents events;
  PingService service;
  RpcClient client(RpcLimits(), asked, events, pool);
  RpcServerCounters counters;
  RpcServer server(RpcLimits(), answered, service, pool, counters);
  ASSERT_TRUE(client
                  .Start(now, {.method = "Ping", .token = "t", .timeout = TimeDelta::Millis(300)},
                         TextBytes("hi"))
                  .ok());
  EXPECT_EQ(ToHex(asked.stream(0).written), "010c0a0450696e6712017418ac0202026869");
  server.OnStreamOpened(now, 0);
  server.OnStreamData(now, 0, asked.stream(0).written, /*fin=*/true, /*early=*/false);
  EXPECT_EQ(ToHex(answered.stream(0).written), "0202686f0300");
  EXPECT_TRUE(answered.stream(0).fin);
}

}  // namespace
}  // namespace sluice

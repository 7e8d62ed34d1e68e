#include "quic/rpc/rpc_client.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"
#include "quic/rpc/testing/recording_rpc_streams.h"
#include "quic/rpc/testing/rpc_frame_bytes.h"

namespace sluice {
namespace {

using Lines = std::vector<std::string>;

// "message 0 text", "status 0 5 text", "failure 0 by_server refused".
class RecordingEvents : public RpcClientEvents {
 public:
  void OnMessage(RpcStreamId id, absl::Span<const uint8_t> message) override {
    lines.push_back(absl::StrCat("message ", id, " ", std::string(message.begin(), message.end())));
    if (react) react(id);
  }
  void OnStatus(RpcStreamId id, const RpcStatus& status) override {
    if (react) react(id);
    lines.push_back(absl::StrCat("status ", id, " ", status.code, " ", status.message));
  }
  void OnFailure(RpcStreamId id, const RpcFailure& failure) override {
    constexpr const char* kCauses[kRpcFailureCauseCount] = {"deadline", "by_server", "by_client",
                                                            "lost"};
    lines.push_back(absl::StrCat("failure ", id, " ", kCauses[static_cast<size_t>(failure.cause)],
                                 " ", RpcErrorCodeName(failure.code)));
    if (react) react(id);
  }

  Lines lines;
  std::function<void(RpcStreamId)> react;
};

class RpcClientTest : public testing::Test {
 protected:
  absl::StatusOr<RpcStreamId> Start(TimeDelta timeout = TimeDelta::PlusInfinity()) {
    return client_.Start(now_, {.method = "Join", .token = "t", .timeout = timeout},
                         TextBytes("hello"));
  }
  void Answer(RpcStreamId id, const RpcFrameBytes& frames, bool fin = true) {
    client_.OnStreamData(id, frames.bytes(), fin);
  }

  Timestamp now_ = Timestamp::Seconds(100);
  RpcBufferPool pool_{3};
  RecordingRpcStreams streams_;
  RecordingEvents events_;
  RpcClient client_{{.calls = 3, .buffers = 2}, streams_, events_, pool_};
};

TEST_F(RpcClientTest, ARequestIsHeaderMessageAndEnd) {
  EXPECT_EQ(*Start(TimeDelta::Seconds(3)), 0);
  EXPECT_EQ(streams_.stream(0).written,
            RpcFrameBytes().Header("Join", "t", 3000).Message("hello").bytes());
  EXPECT_TRUE(streams_.stream(0).fin);
  EXPECT_EQ(*Start(), 4);
  EXPECT_EQ(streams_.stream(4).written,
            RpcFrameBytes().Header("Join", "t").Message("hello").bytes());
  EXPECT_EQ(client_.open_calls(), 2u);
  EXPECT_EQ(pool_.free(), 3u);
}

TEST_F(RpcClientTest, MessagesAndStatusAreTold) {
  ASSERT_EQ(*Start(), 0);
  Answer(0, RpcFrameBytes().Message("a").Head(2, 2), false);
  EXPECT_EQ(events_.lines, Lines{"message 0 a"});
  client_.OnStreamData(0, TextBytes("bc"), false);
  Answer(0, RpcFrameBytes().Status(7, "no"), false);
  EXPECT_EQ(client_.open_calls(), 1u);
  client_.OnStreamData(0, {}, true);
  EXPECT_EQ(events_.lines, (Lines{"message 0 a", "message 0 bc", "status 0 7 no"}));
  EXPECT_EQ(client_.open_calls(), 0u);
  EXPECT_EQ(client_.counters().answered, 1u);
  EXPECT_EQ(client_.counters().messages, 2u);
  EXPECT_EQ(pool_.free(), 3u);
}

TEST_F(RpcClientTest, ARequestThatDoesNotGoOutAtOnceFollows) {
  streams_.SetRoomOfNewStreams(3);
  ASSERT_EQ(*Start(), 0);
  EXPECT_FALSE(streams_.stream(0).fin);
  streams_.stream(0).room = 1000;
  client_.OnWritable(0);
  EXPECT_TRUE(streams_.stream(0).fin);
  EXPECT_EQ(streams_.stream(0).written,
            RpcFrameBytes().Header("Join", "t").Message("hello").bytes());
  EXPECT_EQ(pool_.free(), 3u);
}

TEST_F(RpcClientTest, TheLongestRequestMayWait) {
  streams_.SetRoomOfNewStreams(0);
  const std::string token(kMaxRpcHeader - 3 - 3, 't');
  const std::string message(kMaxRpcMessage, 'm');
  EXPECT_TRUE(client_.Start(now_, {.method = "J", .token = token}, TextBytes(message)).ok());
  streams_.stream(0).room = 1'000'000;
  client_.OnWritable(0);
  EXPECT_EQ(
      streams_.stream(0).written == RpcFrameBytes().Header("J", token).Message(message).bytes(),
      true);
}

TEST_F(RpcClientTest, AWrongRequestOpensNoStream) {
  const std::string message(kMaxRpcMessage + 1, 'm');
  EXPECT_EQ(client_.Start(now_, {.method = ""}, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client_.Start(now_, {.method = "J", .token = "a b"}, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client_.Start(now_, {.method = "J"}, TextBytes(message)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(*Start(), 0);
}

TEST_F(RpcClientTest, TooManyCallsAreRefusedHere) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Start().ok());
  EXPECT_EQ(Start().status().code(), absl::StatusCode::kResourceExhausted);
  Answer(0, RpcFrameBytes().Status(0));
  EXPECT_TRUE(Start().ok());
}

TEST_F(RpcClientTest, TheServerDecidesHowManyStreamsThereAre) {
  streams_.AllowStreams(1);
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(Start().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(client_.open_calls(), 1u);
}

TEST_F(RpcClientTest, WithoutMemoryThereIsNoCall) {
  streams_.SetRoomOfNewStreams(0);
  ASSERT_TRUE(Start().ok());
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(Start().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(streams_.stream(8).reset, RpcErrorCode::kOverloaded);
  EXPECT_EQ(client_.open_calls(), 2u);
}

TEST_F(RpcClientTest, ACancelledCallSaysNothingMore) {
  ASSERT_EQ(*Start(), 0);
  EXPECT_TRUE(client_.Cancel(0));
  EXPECT_FALSE(client_.Cancel(0));
  EXPECT_EQ(streams_.stream(0).reset, RpcErrorCode::kCancelled);
  EXPECT_EQ(streams_.stream(0).stopped, RpcErrorCode::kCancelled);
  Answer(0, RpcFrameBytes().Message("late").Status(0));
  client_.OnStreamReset(0, 2);
  EXPECT_EQ(events_.lines, Lines());
  EXPECT_EQ(client_.counters().cancelled, 1u);
}

TEST_F(RpcClientTest, ACallMayBeCancelledInTheMiddleOfItsMessages) {
  ASSERT_EQ(*Start(), 0);
  events_.react = [&](RpcStreamId id) { client_.Cancel(id); };
  Answer(0, RpcFrameBytes().Message("a").Message("b").Status(0));
  EXPECT_EQ(events_.lines, Lines{"message 0 a"});
}

TEST_F(RpcClientTest, AStatusIsThereWhileANewCallTakesThePlace) {
  ASSERT_EQ(*Start(), 0);
  events_.react = [&](RpcStreamId) { EXPECT_TRUE(Start().ok()); };
  Answer(0, RpcFrameBytes().Status(7, "in pieces"), false);
  client_.OnStreamData(0, {}, true);
  EXPECT_EQ(events_.lines, Lines{"status 0 7 in pieces"});
  EXPECT_EQ(client_.open_calls(), 1u);
}

TEST_F(RpcClientTest, TheTimeoutIsWatchedHereToo) {
  ASSERT_EQ(*Start(TimeDelta::Seconds(3)), 0);
  ASSERT_EQ(*Start(), 4);
  EXPECT_EQ(client_.NextTimeout(), now_ + TimeDelta::Seconds(3));
  client_.HandleTimeout(now_ + TimeDelta::Seconds(3) - TimeDelta::Micros(1));
  EXPECT_EQ(events_.lines, Lines());
  client_.HandleTimeout(now_ + TimeDelta::Seconds(3));
  EXPECT_EQ(events_.lines, Lines{"failure 0 deadline cancelled"});
  EXPECT_EQ(streams_.stream(0).stopped, RpcErrorCode::kCancelled);
  EXPECT_EQ(client_.NextTimeout(), Timestamp::PlusInfinity());
}

TEST_F(RpcClientTest, WhatTheServerGivesUpHasItsCode) {
  ASSERT_EQ(*Start(), 0);
  client_.OnStopSending(0);
  EXPECT_EQ(events_.lines, Lines()) << "the reset says how it ends";
  client_.OnStreamReset(0, static_cast<uint64_t>(RpcErrorCode::kRefused));
  ASSERT_EQ(*Start(), 4);
  client_.OnStreamReset(4, uint64_t{1} << 60);
  ASSERT_EQ(*Start(), 8);
  client_.OnStreamClosed(8);
  EXPECT_EQ(events_.lines, (Lines{"failure 0 by_server refused", "failure 4 by_server unknown",
                                  "failure 8 by_server incomplete"}));
  EXPECT_EQ(client_.counters().failed, 3u);
}

TEST_F(RpcClientTest, AnAnswerThatIsNoneIsGivenUp) {
  const auto fault = [&](const RpcFrameBytes& frames, bool fin) {
    const RpcStreamId id = *Start();
    Answer(id, frames, fin);
    EXPECT_EQ(streams_.stream(id).reset, streams_.stream(id).stopped);
    EXPECT_EQ(client_.open_calls(), 0u);
    return events_.lines.back().substr(events_.lines.back().rfind(' ') + 1);
  };
  EXPECT_EQ(fault(RpcFrameBytes().Header("J"), false), "frame_unexpected");
  EXPECT_EQ(fault(RpcFrameBytes().Head(2, kMaxRpcMessage + 1), false), "frame_too_long");
  EXPECT_EQ(fault(RpcFrameBytes().Frame(3, "\x08"), true), "frame_malformed");
  EXPECT_EQ(fault(RpcFrameBytes().Head(0x21, kMaxRpcUnknown), false), "too_much_unknown");
  EXPECT_EQ(fault(RpcFrameBytes().Message("m"), true), "incomplete");
}

TEST_F(RpcClientTest, AnAnswerBeforeTheWholeRequestEndsTheRequest) {
  streams_.SetRoomOfNewStreams(3);
  ASSERT_EQ(*Start(), 0);
  Answer(0, RpcFrameBytes().Status(16));
  EXPECT_EQ(events_.lines, Lines{"status 0 16 "});
  EXPECT_EQ(streams_.stream(0).reset, RpcErrorCode::kNone);
  EXPECT_EQ(pool_.free(), 3u);
}

TEST_F(RpcClientTest, WithTheConnectionAllCallsAreGone) {
  ASSERT_EQ(*Start(TimeDelta::Seconds(3)), 0);
  ASSERT_EQ(*Start(), 4);
  client_.OnConnectionClosed();
  EXPECT_EQ(events_.lines, (Lines{"failure 0 lost none", "failure 4 lost none"}));
  EXPECT_EQ(client_.open_calls(), 0u);
  EXPECT_EQ(client_.NextTimeout(), Timestamp::PlusInfinity());
}

}  // namespace
}  // namespace sluice

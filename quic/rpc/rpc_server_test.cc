#include "quic/rpc/rpc_server.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"
#include "quic/rpc/testing/recording_rpc_service.h"
#include "quic/rpc/testing/recording_rpc_streams.h"
#include "quic/rpc/testing/rpc_frame_bytes.h"

namespace sluice {
namespace {

using Lines = std::vector<std::string>;

class RpcServerTest : public testing::Test {
 protected:
  // Opens a stream and sends all of it.
  void Request(RpcStreamId id, const RpcFrameBytes& frames, bool fin = true) {
    server_.OnStreamOpened(now_, id);
    server_.OnStreamData(now_, id, frames.bytes(), fin, /*early=*/false);
  }
  void Call(RpcStreamId id, uint32_t timeout_ms = 0) {
    Request(id, RpcFrameBytes().Header("Watch", "token", timeout_ms).Message("hello"));
  }
  std::string Answer(RpcStreamId id) { return DescribeRpcFrames(streams_.stream(id).written); }
  void ExpectRefused(RpcStreamId id, RpcErrorCode code) {
    EXPECT_EQ(streams_.stream(id).reset, code);
    EXPECT_EQ(streams_.stream(id).stopped, code);
    EXPECT_EQ(server_.open_calls(), 0u);
    EXPECT_EQ(server_.NextTimeout(), Timestamp::PlusInfinity());
    EXPECT_EQ(pool_.free(), 3u);
    EXPECT_EQ(service_.lines, Lines());
  }
  const RpcServerCounters& counters() const { return counters_; }

  const RpcLimits limits_ = {.calls = 3,
                             .buffers = 2,
                             .request_timeout = TimeDelta::Seconds(10),
                             .drain_timeout = TimeDelta::Seconds(5)};
  Timestamp now_ = Timestamp::Seconds(100);
  RpcBufferPool pool_{3};
  RecordingRpcStreams streams_;
  RecordingRpcService service_;
  RpcServerCounters counters_;
  RpcServer server_{limits_, streams_, service_, pool_, counters_};
};

TEST_F(RpcServerTest, ACallIsAskedAnsweredAndForgotten) {
  service_.answer = [](Timestamp now, const RpcCall& call, const RpcRequest& request) {
    EXPECT_EQ(call.Send(now, request.message), RpcSendVerdict::kSent);
    EXPECT_TRUE(call.Finish(now, RpcCode::kOk, ""));
    // Also when the call is over the request is there as long as it is asked for.
    EXPECT_EQ(request.message, TextBytes("hello"));
    EXPECT_EQ(request.method, "Watch");
  };
  Call(0);
  EXPECT_EQ(service_.lines, Lines{"call 0 Watch token hello"});
  EXPECT_EQ(Answer(0), "2:hello 3:");
  EXPECT_TRUE(streams_.stream(0).fin);
  EXPECT_FALSE(streams_.stream(0).reset.has_value());
  EXPECT_EQ(server_.open_calls(), 0u);
  EXPECT_EQ(counters().calls, 1u);
  EXPECT_EQ(counters().finished, 1u);
  EXPECT_EQ(pool_.free(), 3u);
}

TEST_F(RpcServerTest, ACallMayBeAnsweredLaterAndInPieces) {
  Call(0);
  Call(4);
  const RpcCall call(*service_.last);
  EXPECT_EQ(call.id(), 4);
  EXPECT_EQ(call.Send(now_, TextBytes("one")), RpcSendVerdict::kSent);
  EXPECT_EQ(call.Send(now_, TextBytes("")), RpcSendVerdict::kSent);
  EXPECT_TRUE(call.Finish(now_, TextBytes("\x08\x05")));
  EXPECT_EQ(Answer(4), "2:one 2: 3:\x08\x05");
  EXPECT_EQ(Answer(0), "");
  EXPECT_EQ(server_.open_calls(), 1u);
}

TEST_F(RpcServerTest, AnAnswerToACallThatIsOverIsCountedAndLost) {
  Call(0);
  const RpcCall call = *service_.last;
  EXPECT_TRUE(call.Finish(now_, RpcCode::kOk, ""));
  EXPECT_FALSE(call.Finish(now_, RpcCode::kInternal, ""));
  EXPECT_EQ(call.Send(now_, TextBytes("late")), RpcSendVerdict::kGone);
  EXPECT_EQ(Answer(0), "3:");
  EXPECT_EQ(counters().stale, 2u);
}

TEST_F(RpcServerTest, TheDeadlineCountsFromTheOpeningOfTheStream) {
  server_.OnStreamOpened(now_, 0);
  const RpcFrameBytes frames = RpcFrameBytes().Header("J", "", 1500).Message("");
  server_.OnStreamData(now_ + TimeDelta::Seconds(1), 0, frames.bytes(), true, false);
  EXPECT_EQ(service_.deadline, now_ + TimeDelta::Millis(1500));
  EXPECT_EQ(server_.NextTimeout(), now_ + TimeDelta::Millis(1500));
  server_.HandleTimeout(now_ + TimeDelta::Millis(1500) - TimeDelta::Micros(1));
  EXPECT_EQ(service_.lines.size(), 1u);

  server_.HandleTimeout(now_ + TimeDelta::Millis(1500));
  EXPECT_EQ(service_.lines.back(), "cancelled 0 deadline");
  EXPECT_TRUE(streams_.stream(0).fin);
  EXPECT_EQ(streams_.stream(0).written,
            RpcFrameBytes().Status(4, "the call took longer than its timeout").bytes());
  EXPECT_EQ(counters().deadlines_exceeded, 1u);
  EXPECT_EQ(server_.NextTimeout(), Timestamp::PlusInfinity());
  EXPECT_FALSE(service_.last->Finish(now_, RpcCode::kOk, ""));
}

TEST_F(RpcServerTest, ACallWithoutTimeoutLastsAsLongAsItLikes) {
  Call(0);
  EXPECT_EQ(service_.deadline, Timestamp::PlusInfinity());
  EXPECT_EQ(server_.NextTimeout(), Timestamp::PlusInfinity());
  server_.HandleTimeout(now_ + TimeDelta::Seconds(1'000'000));
  EXPECT_EQ(server_.open_calls(), 1u);
}

TEST_F(RpcServerTest, ARequestThatDoesNotEndIsGivenUp) {
  Request(0, RpcFrameBytes().Header("J").Head(2, 100), /*fin=*/false);
  EXPECT_EQ(server_.NextTimeout(), now_ + limits_.request_timeout);
  server_.HandleTimeout(now_ + limits_.request_timeout);
  ExpectRefused(0, RpcErrorCode::kTooSlow);
  EXPECT_EQ(counters().requests_too_slow, 1u);
}

TEST_F(RpcServerTest, ASilentStreamIsGivenUpToo) {
  server_.OnStreamOpened(now_, 0);
  server_.HandleTimeout(now_ + limits_.request_timeout);
  ExpectRefused(0, RpcErrorCode::kTooSlow);
}

TEST_F(RpcServerTest, EveryFaultHasItsCodeAndItsCounter) {
  Request(0, RpcFrameBytes().Message("m"));
  ExpectRefused(0, RpcErrorCode::kFrameUnexpected);
  Request(4, RpcFrameBytes().Head(1, kMaxRpcHeader + 1), false);
  ExpectRefused(4, RpcErrorCode::kFrameTooLong);
  Request(8, RpcFrameBytes().Header(""));
  ExpectRefused(8, RpcErrorCode::kFrameMalformed);
  Request(12, RpcFrameBytes().Head(0x40, kMaxRpcUnknown), false);
  ExpectRefused(12, RpcErrorCode::kTooMuchUnknown);
  Request(16, RpcFrameBytes().Header("J"));
  ExpectRefused(16, RpcErrorCode::kIncomplete);
  EXPECT_EQ(counters().frames_unexpected, 1u);
  EXPECT_EQ(counters().frames_too_long, 1u);
  EXPECT_EQ(counters().frames_malformed, 1u);
  EXPECT_EQ(counters().too_much_unknown, 1u);
  EXPECT_EQ(counters().requests_truncated, 1u);
  EXPECT_EQ(counters().calls, 0u);
}

TEST_F(RpcServerTest, WhatComesAfterAFaultIsIgnored) {
  Request(0, RpcFrameBytes().Message("m"), false);
  server_.OnStreamData(now_, 0, RpcFrameBytes().Header("J").Message("").bytes(), true, false);
  ExpectRefused(0, RpcErrorCode::kFrameUnexpected);
  EXPECT_EQ(counters().frames_unexpected, 1u);
}

TEST_F(RpcServerTest, OneCallTooManyIsRefusedAndTheOthersGoOn) {
  for (const RpcStreamId id : {0, 4, 8, 12}) Call(id);
  EXPECT_EQ(streams_.stream(12).reset, RpcErrorCode::kRefused);
  EXPECT_EQ(streams_.stream(12).stopped, RpcErrorCode::kRefused);
  EXPECT_EQ(counters().too_many_calls, 1u);
  EXPECT_EQ(service_.lines.size(), 3u);
  EXPECT_TRUE(service_.last->Finish(now_, RpcCode::kOk, ""));
  Call(16);
  EXPECT_EQ(service_.lines.back(), "call 16 Watch token hello");
}

TEST_F(RpcServerTest, StreamsOfOtherKindsAreNotWanted) {
  Request(2, RpcFrameBytes().Header("J").Message(""));
  EXPECT_EQ(streams_.stream(2).stopped, RpcErrorCode::kStreamUnexpected);
  EXPECT_FALSE(streams_.stream(2).reset.has_value()) << "nothing may be sent on it";
  EXPECT_EQ(counters().streams_unexpected, 1u);
  EXPECT_EQ(service_.lines, Lines());
}

TEST_F(RpcServerTest, TheClientCancelsByEitherWay) {
  Call(0);
  Call(4);
  Call(8);
  server_.OnStopSending(0);
  server_.OnStreamReset(4);
  server_.OnStreamClosed(8);
  server_.OnStopSending(8);
  EXPECT_EQ(streams_.stream(0).reset, RpcErrorCode::kCancelled);
  EXPECT_EQ(streams_.stream(4).reset, RpcErrorCode::kCancelled);
  EXPECT_EQ(Lines(service_.lines.begin() + 3, service_.lines.end()),
            (Lines{"cancelled 0 by_client", "cancelled 4 by_client", "cancelled 8 by_client"}));
  EXPECT_EQ(counters().cancelled_by_client, 3u);
  EXPECT_EQ(server_.open_calls(), 0u);
}

TEST_F(RpcServerTest, StreamsAreFruitlessThatTheClientGivesUpOrBreaksARuleOn) {
  Call(0);
  EXPECT_TRUE(service_.last->Finish(now_, RpcCode::kOk, ""));
  server_.OnStreamClosed(0);
  EXPECT_EQ(server_.fruitless_streams(), 0u);
  Call(4);
  server_.OnStopSending(4);
  server_.OnStreamClosed(4);
  EXPECT_EQ(server_.fruitless_streams(), 1u);
  Request(8, RpcFrameBytes().Header("J"), false);
  server_.OnStreamReset(8);
  EXPECT_EQ(server_.fruitless_streams(), 2u);
  Request(12, RpcFrameBytes().Header(""));
  EXPECT_EQ(server_.fruitless_streams(), 3u);
  // An answer that did not go out altogether.
  streams_.stream(16).room = 1;
  Call(16);
  EXPECT_TRUE(service_.last->Finish(now_, RpcCode::kOk, "done"));
  server_.OnStreamClosed(16);
  EXPECT_EQ(server_.fruitless_streams(), 4u);
}

TEST_F(RpcServerTest, ARequestThatIsGivenUpHalfwayIsNoCall) {
  Request(0, RpcFrameBytes().Header("J").Head(2, 3), false);
  server_.OnStreamReset(0);
  ExpectRefused(0, RpcErrorCode::kCancelled);
  EXPECT_EQ(counters().requests_abandoned, 1u);
  EXPECT_EQ(counters().cancelled_by_client, 0u);
}

TEST_F(RpcServerTest, ASlowReaderBlocksItsOwnCallOnly) {
  streams_.stream(0).room = 10;
  Call(0);
  const RpcCall slow = *service_.last;
  Call(4);
  const std::string message(30'000, 'x');
  EXPECT_EQ(slow.Send(now_, TextBytes(message)), RpcSendVerdict::kSent);
  EXPECT_EQ(slow.Send(now_, TextBytes(message)), RpcSendVerdict::kSent);
  EXPECT_EQ(slow.Send(now_, TextBytes(message)), RpcSendVerdict::kBlocked);
  EXPECT_EQ(counters().messages_blocked, 1u);
  EXPECT_EQ(pool_.free(), 2u);
  EXPECT_EQ(service_.last->Send(now_, TextBytes(message)), RpcSendVerdict::kSent);

  streams_.stream(0).room = 40'000;
  server_.OnWritable(now_, 0);
  EXPECT_EQ(service_.lines.size(), 2u) << "something waits still";
  streams_.stream(0).room = 40'000;
  server_.OnWritable(now_, 0);
  EXPECT_EQ(service_.lines.back(), "writable 0");
  server_.OnWritable(now_, 0);
  EXPECT_EQ(service_.lines.size(), 3u) << "told once";
  EXPECT_EQ(Answer(0), "2:" + message + " 2:" + message);
  EXPECT_EQ(pool_.free(), 3u);
}

TEST_F(RpcServerTest, ACallWhoseAnswersAreNotReadIsCancelled) {
  streams_.stream(0).room = 1;
  Call(0);
  EXPECT_EQ(service_.last->Send(now_, TextBytes("first")), RpcSendVerdict::kSent);
  EXPECT_EQ(server_.NextTimeout(), now_ + limits_.drain_timeout);
  // What comes after it does not give it more time, nor does some of it going out.
  now_ += TimeDelta::Seconds(1);
  EXPECT_EQ(service_.last->Send(now_, TextBytes("second")), RpcSendVerdict::kSent);
  streams_.stream(0).room = 1;
  server_.OnWritable(now_, 0);
  EXPECT_EQ(server_.NextTimeout(), now_ + limits_.drain_timeout - TimeDelta::Seconds(1));
  // Only all of it does.
  streams_.stream(0).room = 100;
  server_.OnWritable(now_, 0);
  EXPECT_EQ(server_.NextTimeout(), Timestamp::PlusInfinity());

  streams_.stream(0).room = 1;
  EXPECT_EQ(service_.last->Send(now_, TextBytes("third")), RpcSendVerdict::kSent);
  server_.HandleTimeout(now_ + limits_.drain_timeout);
  EXPECT_EQ(service_.lines.back(), "cancelled 0 too_slow");
  EXPECT_EQ(streams_.stream(0).reset, RpcErrorCode::kTooSlow);
  EXPECT_EQ(counters().answers_too_slow, 1u);
  EXPECT_EQ(server_.open_calls(), 0u);
  EXPECT_EQ(pool_.free(), 3u);
}

TEST_F(RpcServerTest, AnAnswerThatWaitsHasTimeToGetOut) {
  streams_.stream(0).room = 1;
  streams_.stream(4).room = 1;
  for (const RpcStreamId id : {0, 4}) {
    Call(id);
    EXPECT_TRUE(service_.last->Finish(now_, RpcCode::kOk, "done"));
  }
  EXPECT_EQ(server_.open_calls(), 2u);
  EXPECT_EQ(server_.NextTimeout(), now_ + limits_.drain_timeout);
  streams_.stream(0).room = 100;
  server_.OnWritable(now_, 0);
  EXPECT_TRUE(streams_.stream(0).fin);
  EXPECT_EQ(server_.open_calls(), 1u);
  server_.HandleTimeout(now_ + limits_.drain_timeout);
  EXPECT_EQ(streams_.stream(4).reset, RpcErrorCode::kTooSlow);
  EXPECT_EQ(server_.open_calls(), 0u);
  EXPECT_EQ(counters().answers_too_slow, 1u);
  EXPECT_EQ(service_.lines.size(), 2u) << "calls that were finished are not cancelled";
}

TEST_F(RpcServerTest, AnAnswerThatNobodyWantsAnyMoreIsForgotten) {
  streams_.stream(0).room = 1;
  Call(0);
  EXPECT_TRUE(service_.last->Finish(now_, RpcCode::kOk, "done"));
  server_.OnStopSending(0);
  EXPECT_EQ(server_.open_calls(), 0u);
  EXPECT_EQ(counters().answers_abandoned, 1u);
  EXPECT_EQ(pool_.free(), 3u);
}

TEST_F(RpcServerTest, ARequestGetsNoMoreMemoryThanItsConnectionMayHave) {
  streams_.stream(0).room = 0;
  streams_.stream(4).room = 0;
  Call(0);
  EXPECT_EQ(service_.last->Send(now_, TextBytes("waits")), RpcSendVerdict::kSent);
  Call(4);
  EXPECT_EQ(service_.last->Send(now_, TextBytes("waits")), RpcSendVerdict::kSent);
  // Both buffers of this connection wait with them.
  Request(12, RpcFrameBytes().Header("J"), false);
  EXPECT_EQ(streams_.stream(12).reset, RpcErrorCode::kOverloaded);
  EXPECT_EQ(counters().requests_without_buffer, 1u);
  EXPECT_EQ(pool_.free(), 1u) << "others have theirs";
}

TEST_F(RpcServerTest, HalfAnAnswerWithoutMemoryEndsTheCall) {
  Call(0);
  const RpcCall call = *service_.last;
  RpcBufferShare other(pool_, 3);
  std::vector<RpcBuffer> taken;
  for (int i = 0; i < 3; ++i) taken.push_back(other.Take());
  streams_.stream(0).room = 0;
  EXPECT_EQ(call.Send(now_, TextBytes("abc")), RpcSendVerdict::kBlocked);
  streams_.stream(0).room = 2;
  EXPECT_EQ(call.Send(now_, TextBytes("abc")), RpcSendVerdict::kBroken);
  EXPECT_EQ(streams_.stream(0).reset, RpcErrorCode::kOverloaded);
  EXPECT_EQ(call.Send(now_, TextBytes("abc")), RpcSendVerdict::kGone);
  EXPECT_EQ(counters().answers_broken, 1u);
}

TEST_F(RpcServerTest, WhatIsTooLongIsNotSent) {
  Call(0);
  const std::string message(kMaxRpcMessage + 1, 'x');
  EXPECT_EQ(service_.last->Send(now_, TextBytes(message)), RpcSendVerdict::kTooLong);
  EXPECT_EQ(service_.last->Send(now_, TextBytes(message.substr(1))), RpcSendVerdict::kSent);
  const std::string status(kMaxRpcStatus + 1, 'x');
  EXPECT_TRUE(service_.last->Finish(now_, TextBytes(status)));
  RpcFrameBytes expected;
  expected.Message(message.substr(1)).Status(13, "the status of this call is too long");
  EXPECT_EQ(streams_.stream(0).written == expected.bytes(), true);
  EXPECT_EQ(counters().messages_too_long, 1u);
  EXPECT_EQ(counters().statuses_too_long, 1u);
}

TEST_F(RpcServerTest, WhileDrainingCallsGoOnAndNewOnesAreRefused) {
  Call(0);
  server_.Drain();
  Call(4);
  EXPECT_EQ(streams_.stream(4).reset, RpcErrorCode::kRefused);
  EXPECT_EQ(counters().refused_while_draining, 1u);
  EXPECT_TRUE(service_.last->Finish(now_, RpcCode::kOk, ""));
  EXPECT_EQ(Answer(0), "3:");
  EXPECT_EQ(server_.open_calls(), 0u);
}

TEST_F(RpcServerTest, WithTheConnectionAllCallsAreGone) {
  Call(0);
  Request(4, RpcFrameBytes().Header("J"), false);
  Call(8);
  // From within, calls that have not heard of it yet can still be finished.
  service_.cancelled = [&](const RpcCall&) { service_.last->Finish(now_, RpcCode::kOk, ""); };
  server_.OnConnectionClosed();
  EXPECT_EQ(server_.open_calls(), 0u);
  EXPECT_EQ(service_.lines[2], "cancelled 0 lost");
  EXPECT_EQ(counters().connections_lost + counters().finished, 2u);
  EXPECT_EQ(pool_.free(), 3u);
  Call(12);
  EXPECT_EQ(streams_.stream(12).reset, RpcErrorCode::kRefused);
}

TEST_F(RpcServerTest, AServiceHearsWhichCallOfWhichConnectionWasCancelled) {
  RecordingRpcStreams streams;
  RpcServer other(limits_, streams, service_, pool_, counters_);
  Call(0);
  const RpcCall first = *service_.last;
  other.OnStreamOpened(now_, 0);
  other.OnStreamData(now_, 0, RpcFrameBytes().Header("Watch").Message("").bytes(), true, false);
  const RpcCall second = *service_.last;
  ASSERT_NE(first, second);
  std::vector<RpcCall> cancelled;
  service_.cancelled = [&](const RpcCall& call) { cancelled.push_back(call); };
  other.OnStreamReset(0);
  server_.OnStreamReset(0);
  EXPECT_EQ(cancelled, (std::vector{second, first}));
  EXPECT_EQ(counters().cancelled_by_client, 2u) << "they count together";
}

TEST_F(RpcServerTest, EarlyDataMakeAnEarlyRequest) {
  const std::vector<uint8_t> bytes = RpcFrameBytes().Header("J").Message("m").bytes();
  server_.OnStreamOpened(now_, 0);
  server_.OnStreamData(now_, 0, absl::MakeConstSpan(bytes).first(1), false, /*early=*/true);
  server_.OnStreamData(now_, 0, absl::MakeConstSpan(bytes).subspan(1), true, /*early=*/false);
  EXPECT_TRUE(service_.early);
  Call(4);
  EXPECT_FALSE(service_.early);
}

TEST_F(RpcServerTest, EventsOfStreamsThatAreNotThereDoNothing) {
  server_.OnStreamData(now_, 0, RpcFrameBytes().Header("J").Message("").bytes(), true, false);
  server_.OnStreamReset(0);
  server_.OnStopSending(0);
  server_.OnWritable(now_, 0);
  server_.OnStreamClosed(0);
  server_.HandleTimeout(now_);
  EXPECT_EQ(service_.lines, Lines());
  EXPECT_EQ(server_.open_calls(), 0u);
}

}  // namespace
}  // namespace sluice

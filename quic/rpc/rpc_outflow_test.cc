#include "quic/rpc/rpc_outflow.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/testing/recording_rpc_streams.h"
#include "quic/rpc/testing/rpc_frame_bytes.h"

namespace sluice {
namespace {

using Verdict = RpcOutflow::Verdict;

class RpcOutflowTest : public testing::Test {
 protected:
  Verdict Send(absl::string_view payload, bool fin = false,
               size_t max_waiting = RpcOutflow::kMaxWaiting) {
    return outflow_.Send(4, fin ? RpcFrameType::kStatus : RpcFrameType::kMessage,
                         TextBytes(payload), fin, max_waiting, streams_, share_);
  }
  std::string Written() { return DescribeRpcFrames(streams_.stream(4).written); }

  RpcBufferPool pool_{1};
  RpcBufferShare share_{pool_, 1};
  RecordingRpcStreams streams_;
  RpcOutflow outflow_;
};

TEST_F(RpcOutflowTest, WhatTheConnectionTakesNeedsNoBuffer) {
  EXPECT_EQ(Send("one"), Verdict::kTaken);
  EXPECT_EQ(Send(""), Verdict::kTaken);
  EXPECT_FALSE(streams_.stream(4).fin);
  EXPECT_EQ(Send("", /*fin=*/true), Verdict::kTaken);
  EXPECT_TRUE(streams_.stream(4).fin);
  EXPECT_EQ(Written(), "2:one 2: 3:");
  EXPECT_EQ(outflow_.waiting(), 0u);
  EXPECT_EQ(pool_.free(), 1u);
}

TEST_F(RpcOutflowTest, TheRestWaitsAndFollows) {
  for (size_t room = 0; room < 12; ++room) {
    SCOPED_TRACE(room);
    streams_.stream(4) = {};
    streams_.stream(4).room = room;
    EXPECT_EQ(Send("first"), Verdict::kTaken);
    EXPECT_EQ(Send("last", /*fin=*/true), Verdict::kTaken);
    EXPECT_EQ(outflow_.waiting(), 13 - room);
    EXPECT_EQ(pool_.free(), 0u);
    streams_.stream(4).room = 1;
    EXPECT_FALSE(outflow_.Flush(4, streams_));
    EXPECT_FALSE(streams_.stream(4).fin);
    streams_.stream(4).room = 1000;
    EXPECT_TRUE(outflow_.Flush(4, streams_));
    EXPECT_EQ(Written(), "2:first 3:last");
    EXPECT_TRUE(streams_.stream(4).fin);
    EXPECT_EQ(pool_.free(), 1u);
  }
}

TEST_F(RpcOutflowTest, TheEndWaitsWithTheLastByteOfItsHead) {
  streams_.stream(4).room = 1;
  EXPECT_EQ(Send("", /*fin=*/true), Verdict::kTaken);
  EXPECT_EQ(outflow_.waiting(), 1u);
  streams_.stream(4).room = 1;
  EXPECT_TRUE(outflow_.Flush(4, streams_));
  EXPECT_TRUE(streams_.stream(4).fin);
}

TEST_F(RpcOutflowTest, TheLongestMessageMayWaitAndAStatusBehindIt) {
  streams_.stream(4).room = 0;
  EXPECT_EQ(Send(std::string(kMaxRpcMessage, 'x')), Verdict::kTaken);
  EXPECT_EQ(Send(std::string(RpcOutflow::kMaxWaiting, 'x')), Verdict::kRefused);
  EXPECT_EQ(Send(std::string(kMaxRpcStatus, 's'), true, RpcBufferPool::kBufferSize),
            Verdict::kTaken);
  EXPECT_EQ(outflow_.waiting(), 5 + kMaxRpcMessage + 3 + kMaxRpcStatus);
}

TEST_F(RpcOutflowTest, MoreThanMayWaitIsRefusedWhole) {
  streams_.stream(4).room = 3;
  EXPECT_EQ(Send("0123456789"), Verdict::kTaken);
  EXPECT_EQ(outflow_.waiting(), 9u);
  EXPECT_EQ(Send("abc", false, /*max_waiting=*/13), Verdict::kRefused);
  EXPECT_EQ(outflow_.waiting(), 9u);
  EXPECT_EQ(Send("abc", false, /*max_waiting=*/14), Verdict::kTaken);
  streams_.stream(4).room = 100;
  EXPECT_TRUE(outflow_.Flush(4, streams_));
  EXPECT_EQ(Written(), "2:0123456789 2:abc");
}

TEST_F(RpcOutflowTest, WithoutABufferAFrameIsRefusedOrBroken) {
  const RpcBuffer taken = share_.Take();
  streams_.stream(4).room = 0;
  EXPECT_EQ(Send("abc"), Verdict::kRefused);
  EXPECT_EQ(Written(), "");
  streams_.stream(4).room = 5;
  EXPECT_EQ(Send("abc"), Verdict::kTaken);
  streams_.stream(4).room = 1;
  EXPECT_EQ(Send("abc"), Verdict::kBroken);
}

TEST_F(RpcOutflowTest, ClearForgetsAndGivesBack) {
  streams_.stream(4).room = 0;
  EXPECT_EQ(Send("abc"), Verdict::kTaken);
  outflow_.Clear();
  EXPECT_EQ(outflow_.waiting(), 0u);
  EXPECT_EQ(pool_.free(), 1u);
}

TEST_F(RpcOutflowTest, NothingIsLostOrMixedUpWhateverRoomThereIs) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(34);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  streams_.stream(4).room = 0;
  RpcFrameBytes expected;
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    if (random.Below(2) == 0) {
      streams_.stream(4).room = random.Below(40'000);
      outflow_.Flush(4, streams_);
    }
    const std::string payload(random.Below(30'000), static_cast<char>('a' + i % 26));
    const Verdict verdict = Send(payload);
    ASSERT_NE(verdict, Verdict::kBroken);
    if (verdict == Verdict::kTaken) expected.Message(payload);
    refused += verdict == Verdict::kRefused;
    ASSERT_LE(outflow_.waiting(), RpcOutflow::kMaxWaiting);
  }
  streams_.stream(4).room = RpcBufferPool::kBufferSize;
  EXPECT_TRUE(outflow_.Flush(4, streams_));
  EXPECT_EQ(streams_.stream(4).written == expected.bytes(), true);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace sluice

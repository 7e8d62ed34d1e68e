// The stream of a session's statistics: it begins at once, goes on, and ends with the session.

#include <cstdint>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/util/time_util.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/sync_stream.h"
#include "gtest/gtest.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"

namespace sluice {
namespace {

using google::protobuf::util::TimeUtil;
using ::testing::ElementsAre;

constexpr uint32_t kAliceSsrc = 0xa11ce001;

// An open WatchStats stream.
class StatsStream {
 public:
  StatsStream(ControlClient& client, const std::string& session_id, int64_t interval_ms) {
    context_.set_deadline(Deadline::Generous().ForGrpc());
    pb::WatchStatsRequest request;
    request.set_session_id(session_id);
    *request.mutable_interval() = TimeUtil::MillisecondsToDuration(interval_ms);
    reader_ = client.stub().WatchStats(&context_, request);
  }
  ~StatsStream() {
    if (!finished_) {
      Finish().IgnoreError();
    }
  }

  // The next figures; empty, and the test failed, when the stream ends.
  pb::SessionStats Next() {
    pb::WatchStatsResponse response;
    EXPECT_TRUE(reader_->Read(&response)) << "the stream ended";
    return response.stats();
  }
  // How the stream ended, when the gateway ends it.
  grpc::Status AwaitEnd() {
    pb::WatchStatsResponse response;
    EXPECT_FALSE(reader_->Read(&response)) << response.DebugString();
    finished_ = true;
    return reader_->Finish();
  }

 private:
  grpc::Status Finish() {
    finished_ = true;
    context_.TryCancel();
    return reader_->Finish();
  }

  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<pb::WatchStatsResponse>> reader_;
  bool finished_ = false;
};

class StatsStreamTest : public GatewayFixture {
 protected:
  StatsStreamTest() : GatewayFixture({.config = "limits { watchers: 1 }"}) {}
};

TEST_F(StatsStreamTest, FollowsASessionToItsEnd) {
  // More than any test waits: what comes at once does not come by the clock.
  constexpr int64_t kHourMs = 3'600'000;
  control().CreateSession("call");
  PlainPeer alice;
  PlainPeer bob;
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 3));
  StatsStream stream(control(), "call", kHourMs);
  const pb::SessionStats first = stream.Next();
  EXPECT_EQ(first.state(), pb::SESSION_STATE_ACTIVE);
  EXPECT_EQ(LegOf(first, "alice").packets_received(), 3u);
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 4, 2));
  control().DeleteSession("call");
  const pb::SessionStats last = stream.Next();
  EXPECT_EQ(last.state(), pb::SESSION_STATE_ENDED);
  EXPECT_EQ(LegOf(last, "alice").packets_received(), 5u);
  const grpc::Status end = stream.AwaitEnd();
  EXPECT_TRUE(end.ok()) << end.error_message();
}

TEST_F(StatsStreamTest, TellsNewFiguresAtEachInterval) {
  control().CreateSession("call");
  PlainPeer alice;
  PlainPeer bob;
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  StatsStream stream(control(), "call", /*interval_ms=*/100);
  pb::SessionStats stats = stream.Next();
  EXPECT_EQ(LegOf(stats, "alice").packets_received(), 0u);
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 7));
  for (int i = 0; i < 3; ++i) {
    const pb::SessionStats next = stream.Next();
    EXPECT_GT(TimeUtil::TimestampToMicroseconds(next.sample_time()),
              TimeUtil::TimestampToMicroseconds(stats.sample_time()));
    stats = next;
  }
  EXPECT_EQ(LegOf(stats, "alice").packets_received(), 7u);
}

TEST_F(StatsStreamTest, WhatCannotBeWatchedIsRefusedByName) {
  control().CreateSession("call");
  for (const int64_t interval_ms : {0, 99, 3'600'001, -1000}) {
    StatsStream stream(control(), "call", interval_ms);
    const ErrorInfo error = ErrorInfoOf(stream.AwaitEnd());
    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT) << error;
    EXPECT_THAT(error.fields, ElementsAre("interval"));
  }
  {
    StatsStream stream(control(), "nobody", 1000);
    const ErrorInfo error = ErrorInfoOf(stream.AwaitEnd());
    EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND) << error;
    EXPECT_THAT(error.resources, ElementsAre("session/nobody"));
  }
  StatsStream watching(control(), "call", 1000);
  watching.Next();
  StatsStream one_too_many(control(), "call", 1000);
  const ErrorInfo error = ErrorInfoOf(one_too_many.AwaitEnd());
  EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED) << error;
  EXPECT_THAT(error.limits, ElementsAre("watchers"));
}

}  // namespace
}  // namespace sluice

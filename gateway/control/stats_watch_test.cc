#include "gateway/control/stats_watch.h"

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gateway/control/control_room.h"
#include "gateway/control/event_log.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/control/watcher_places.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Response = gateway::v1::WatchStatsResponse;
using Service = GatewayService;

class StatsWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'call'").ok());
    ASSERT_TRUE(harness_
                    .Call(&Service::AddLeg,
                          "session_id: 'call' leg_id: 'alice' config { kind: LEG_KIND_RTP }")
                    .ok());
  }

  // Watches until `on_response`, called with how many there are, says false.
  absl::Status Watch(const std::string& request_text, absl::FunctionRef<bool(size_t)> on_response) {
    return WatchWhileTimePasses(request_text, absl::ZeroDuration(), on_response);
  }

  // The same, while `step` passes on the room's clock from one look at it to the next.
  absl::Status WatchWhileTimePasses(const std::string& request_text, absl::Duration step,
                                    absl::FunctionRef<bool(size_t)> on_response) {
    gateway::v1::WatchStatsRequest request;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(request_text, &request))
        << request_text;
    return WatchStats(
        request, harness_.room(),
        [&] {
          harness_.Advance(responses_.empty() ? absl::ZeroDuration() : step);
          return false;
        },
        [&](const Response& response) {
          responses_.push_back(response);
          return on_response(responses_.size());
        });
  }

  absl::Time SampleTime(size_t i) const {
    const auto& time = responses_[i].stats().sample_time();
    return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
  }

  // The room's clock stands still: intervals pass when a test says so.
  ControlHarness harness_;
  std::vector<Response> responses_;
};

TEST_F(StatsWatchTest, FiguresComeAtOnceAndThenAtEachInterval) {
  const absl::Time start = harness_.now();
  EXPECT_EQ(Watch("session_id: 'call' interval { nanos: 100000000 }",
                  [&](size_t count) {
                    harness_.Advance(absl::Milliseconds(100));
                    return count < 3;
                  }),
            absl::OkStatus());
  ASSERT_EQ(responses_.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(responses_[i].stats().session_id(), "call");
    ASSERT_EQ(responses_[i].stats().legs_size(), 1);
    EXPECT_EQ(responses_[i].stats().legs(0).leg_id(), "alice");
    EXPECT_EQ(SampleTime(i), start + i * absl::Milliseconds(100));
  }
}

TEST_F(StatsWatchTest, BetweenIntervalsNothingIsSentAndTheDefaultIsASecond) {
  EXPECT_EQ(WatchWhileTimePasses("session_id: 'call'", absl::Milliseconds(500),
                                 [](size_t count) { return count < 3; }),
            absl::OkStatus());
  ASSERT_EQ(responses_.size(), 3u);
  EXPECT_EQ(SampleTime(1) - SampleTime(0), absl::Seconds(1));
  EXPECT_EQ(SampleTime(2) - SampleTime(1), absl::Seconds(1));
}

TEST_F(StatsWatchTest, IntervalsThatASlowReaderLetPassAreLeftOut) {
  const absl::Time start = harness_.now();
  EXPECT_EQ(Watch("session_id: 'call' interval { seconds: 1 }",
                  [&](size_t count) {
                    harness_.Advance(count == 1 ? absl::Seconds(60) : absl::Seconds(1));
                    return count < 3;
                  }),
            absl::OkStatus());
  ASSERT_EQ(responses_.size(), 3u);
  EXPECT_EQ(SampleTime(1), start + absl::Seconds(60));
  EXPECT_EQ(SampleTime(2), start + absl::Seconds(61));
}

TEST_F(StatsWatchTest, AClockThatIsSetBackDoesNotStopTheFigures) {
  const absl::Time start = harness_.now();
  EXPECT_EQ(WatchWhileTimePasses(
                "session_id: 'call' interval { nanos: 100000000 }", absl::Milliseconds(50),
                [&](size_t count) {
                  harness_.Advance(count == 1 ? -absl::Hours(1) : absl::ZeroDuration());
                  return count < 2;
                }),
            absl::OkStatus());
  ASSERT_EQ(responses_.size(), 2u);
  EXPECT_LT(SampleTime(1), start);
}

TEST_F(StatsWatchTest, TheLastFiguresAreThoseOfTheTombstone) {
  EXPECT_EQ(
      Watch("session_id: 'call' interval { seconds: 3600 }",
            [&](size_t count) {
              if (count == 1) {
                EXPECT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
                harness_.Advance(absl::Seconds(5));
              }
              return true;
            }),
      absl::OkStatus())
      << "long before the interval has passed";
  ASSERT_EQ(responses_.size(), 2u);
  EXPECT_NE(responses_[0].stats().state(), gateway::v1::SESSION_STATE_ENDED);
  gateway::v1::GetStatsResponse tombstone;
  EXPECT_TRUE(harness_.Call(&Service::GetStats, "session_id: 'call'", tombstone).ok());
  EXPECT_EQ(responses_[1].stats().DebugString(), tombstone.stats().DebugString());

  responses_.clear();
  EXPECT_EQ(Watch("session_id: 'call'", [](size_t) { return true; }), absl::OkStatus());
  EXPECT_EQ(responses_.size(), 1u) << "who comes late has them at once";
}

TEST_F(StatsWatchTest, ASessionThatIsForgottenIsNotFound) {
  EXPECT_EQ(Watch("session_id: 'nobody'", [](size_t) { return true; }).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Watch("session_id: 'call'",
                  [&](size_t) {
                    EXPECT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
                    harness_.Advance(absl::Hours(1));
                    return true;
                  })
                .code(),
            absl::StatusCode::kNotFound);
}

TEST_F(StatsWatchTest, RefusesRequestsThatCannotBeMeant) {
  for (const char* interval : {"nanos: 99999999", "seconds: 3601", "seconds: -1", ""}) {
    EXPECT_THAT(BadFields(ToGrpcStatus(
                    Watch(std::string("session_id: 'no blanks' interval { ") + interval + " }",
                          [](size_t) { return true; }))),
                ElementsAre("session_id", "interval"))
        << interval;
  }
  EXPECT_TRUE(responses_.empty());
  EXPECT_EQ(harness_.room().watchers().used(), 0u);
}

TEST_F(StatsWatchTest, WatchersOfStatisticsAndEventsShareTheirPlaces) {
  const auto event_watcher = harness_.room().watchers().Take();
  EXPECT_EQ(Watch("session_id: 'call'",
                  [&](size_t) {
                    // The harness has two places.
                    EXPECT_EQ(ReachedLimit(ToGrpcStatus(
                                  Watch("session_id: 'call'", [](size_t) { return true; }))),
                              "watchers");
                    return false;
                  }),
            absl::OkStatus());
  EXPECT_EQ(harness_.room().watchers().used(), 1u);
  EXPECT_EQ(harness_.room().watchers().refused(), 1u);
}

TEST_F(StatsWatchTest, EndsWhenTheGatewayStops) {
  EXPECT_EQ(Watch("session_id: 'call' interval { seconds: 3600 }",
                  [&](size_t) {
                    harness_.room().log().Close();
                    return true;
                  })
                .code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(responses_.size(), 1u);
}

TEST_F(StatsWatchTest, EndsWhenNobodyListensAnyMore) {
  gateway::v1::WatchStatsRequest request;
  request.set_session_id("call");
  request.mutable_interval()->set_seconds(3600);
  bool gone = false;
  EXPECT_EQ(WatchStats(
                request, harness_.room(), [&] { return gone; },
                [&](const Response&) {
                  gone = true;
                  return true;
                }),
            absl::OkStatus());
  EXPECT_EQ(harness_.room().watchers().used(), 0u);
}

}  // namespace
}  // namespace sluice

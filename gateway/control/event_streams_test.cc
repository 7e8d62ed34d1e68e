#include "gateway/control/event_streams.h"

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "gateway/control/event_convert.h"
#include "gateway/control/event_log.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/control/watcher_places.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Request = gateway::v1::WatchEventsRequest;
using Response = gateway::v1::WatchEventsResponse;

absl::Time FixedTime() { return absl::FromUnixSeconds(1'700'000'000); }

class EventStreamsTest : public ::testing::Test {
 protected:
  void Append(int count) {
    for (int i = 0; i < count; ++i) {
      log_.Append(SessionCreatedEvent(absl::StrCat("call-", log_.latest() + 1)));
    }
  }

  // A watcher that leaves after `count` messages.
  absl::Status Watch(const Request& request, size_t count, std::vector<Response>& responses) {
    return streams_.Serve(
        request, [&] { return responses.size() >= count; },
        [&](const Response& response) {
          responses.push_back(response);
          return true;
        });
  }

  EventLog log_{8, "instance", &FixedTime};
  WatcherPlaces places_{2};
  EventStreams streams_{log_, places_};
};

TEST_F(EventStreamsTest, TellsFirstWhereTheWatcherStartsAndThenOnlyNewEvents) {
  Append(3);
  std::vector<Response> responses;
  std::thread watcher([&] {
    EXPECT_EQ(streams_.Serve(
                  Request(), [] { return false; },
                  [&](const Response& response) {
                    responses.push_back(response);
                    if (responses.size() == 1) {
                      Append(2);
                    }
                    return responses.size() < 3;
                  }),
              absl::OkStatus());
  });
  watcher.join();
  ASSERT_EQ(responses.size(), 3u);
  EXPECT_EQ(responses[0].instance_id(), "instance");
  EXPECT_EQ(responses[0].latest_sequence(), 3u);
  EXPECT_FALSE(responses[0].has_event());
  EXPECT_EQ(responses[1].event().sequence(), 4u);
  EXPECT_TRUE(responses[1].instance_id().empty());
  EXPECT_EQ(responses[2].event().sequence(), 5u);
}

TEST_F(EventStreamsTest, ResumesBehindASequence) {
  Append(5);
  Request request;
  request.set_after_sequence(3);
  request.set_instance_id("instance");
  std::vector<Response> responses;
  EXPECT_EQ(Watch(request, 3, responses), absl::OkStatus());
  ASSERT_EQ(responses.size(), 3u);
  EXPECT_EQ(responses[0].latest_sequence(), 5u);
  EXPECT_EQ(responses[1].event().session_id(), "call-4");
  EXPECT_EQ(responses[2].event().session_id(), "call-5");
}

TEST_F(EventStreamsTest, GivesOnlyEventsOfOneSession) {
  Append(2);
  Request request;
  request.set_after_sequence(1);
  request.set_instance_id("instance");
  request.set_session_id("call-4");
  Append(4);
  std::vector<Response> responses;
  EXPECT_EQ(Watch(request, 2, responses), absl::OkStatus());
  ASSERT_EQ(responses.size(), 2u);
  EXPECT_EQ(responses[1].event().sequence(), 4u);
}

TEST_F(EventStreamsTest, SaysWhenThePastIsGone) {
  Append(20);
  Request request;
  request.set_after_sequence(3);
  request.set_instance_id("instance");
  std::vector<Response> responses;
  EXPECT_EQ(Watch(request, 1, responses).code(), absl::StatusCode::kOutOfRange);
  request.set_after_sequence(18);
  request.set_instance_id("the one before");
  EXPECT_EQ(Watch(request, 1, responses).code(), absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(responses.empty());
}

TEST_F(EventStreamsTest, ASlowWatcherIsToldThatItMissedEvents) {
  Append(1);
  Request request;
  request.set_after_sequence(1);
  request.set_instance_id("instance");
  const absl::Status status = streams_.Serve(
      request, [] { return false; },
      [&](const Response& response) {
        // As long as one message is written, the ring turns twice.
        if (!response.has_event()) {
          Append(20);
        }
        return true;
      });
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
}

TEST_F(EventStreamsTest, RefusesRequestsThatCannotBeMeant) {
  Request request;
  request.set_after_sequence(1);
  request.set_session_id("no blanks");
  std::vector<Response> responses;
  EXPECT_THAT(BadFields(ToGrpcStatus(Watch(request, 1, responses))),
              ElementsAre("instance_id", "session_id"));
}

TEST_F(EventStreamsTest, ServesAsManyAsTheLimitAndNamesIt) {
  absl::Notification both_in;
  std::atomic<int> in{0};
  std::vector<std::thread> watchers;
  for (int i = 0; i < 2; ++i) {
    watchers.emplace_back([&] {
      EXPECT_EQ(streams_
                    .Serve(
                        Request(), [] { return false; },
                        [&](const Response&) {
                          if (++in == 2) {
                            both_in.Notify();
                          }
                          return true;
                        })
                    .code(),
                absl::StatusCode::kUnavailable);
    });
  }
  both_in.WaitForNotification();
  EXPECT_EQ(places_.used(), 2u);
  std::vector<Response> responses;
  EXPECT_EQ(ReachedLimit(ToGrpcStatus(Watch(Request(), 1, responses))), "watchers");
  EXPECT_EQ(places_.refused(), 1u);
  log_.Close();
  for (std::thread& watcher : watchers) {
    watcher.join();
  }
  EXPECT_EQ(places_.used(), 0u);
}

TEST_F(EventStreamsTest, EndsWhenTheWatcherIsGone) {
  EXPECT_EQ(streams_.Serve(
                Request(), [] { return false; }, [](const Response&) { return false; }),
            absl::OkStatus());
  EXPECT_EQ(streams_.Serve(
                Request(), [] { return true; }, [](const Response&) { return true; }),
            absl::OkStatus());
  EXPECT_EQ(places_.used(), 0u);
}

}  // namespace
}  // namespace sluice

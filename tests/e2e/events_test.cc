// The stream of events: what it tells, in which order, and how a controller that lost it goes on.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/event_watcher.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Stub = ControlClient::Stub;

constexpr uint32_t kAliceSsrc = 0xa11ce001;

// "session_created call", "leg_added call/alice".
std::string Describe(const pb::Event& event) {
  const auto* field = pb::Event::descriptor()->FindFieldByNumber(event.event_case());
  const std::string subject = event.leg_id().empty()
                                  ? event.session_id()
                                  : absl::StrCat(event.session_id(), "/", event.leg_id());
  return absl::StrCat(field == nullptr ? "nothing" : field->name(), " ", subject);
}

// The next `count` events of a stream.
std::vector<std::string> Take(EventWatcher& watcher, size_t count) {
  std::vector<std::string> events;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<pb::Event> event = watcher.Next();
    if (!event.has_value()) {
      ADD_FAILURE() << "the stream ended after " << i << " of " << count
                    << " events: " << watcher.Finish().error_message();
      break;
    }
    events.push_back(Describe(*event));
  }
  return events;
}

pb::WatchEventsRequest After(uint64_t sequence, const std::string& instance_id) {
  pb::WatchEventsRequest request;
  request.set_after_sequence(sequence);
  request.set_instance_id(instance_id);
  return request;
}

class EventsTest : public GatewayFixture {};

TEST_F(EventsTest, TellTheLifeOfACallInOrder) {
  EventWatcher watcher(control());
  EXPECT_EQ(watcher.instance_id(), control().GetNode().instance_id());
  EXPECT_EQ(watcher.latest_sequence(), 0u);

  PlainPeer alice;
  PlainPeer bob;
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  EXPECT_THAT(Take(watcher, 3),
              ElementsAre("session_created call", "leg_added call/alice", "leg_added call/bob"));
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 10));
  EXPECT_THAT(Take(watcher, 2),
              UnorderedElementsAre("media_started call/alice", "stream_added call/alice"));

  pb::LegConfig hold;
  hold.set_hold(true);
  control().UpdateLeg(LegUpdateOf("call", "alice", hold, {"hold"}));
  control().RemoveLeg("call", "bob");
  control().DeleteSession("call");
  EXPECT_THAT(Take(watcher, 3),
              ElementsAre("leg_updated call/alice", "leg_removed call/bob", "session_ended call"));
}

TEST_F(EventsTest, AreNumberedWithoutGapsAndCarryTheirFacts) {
  EventWatcher watcher(control());
  PlainPeer alice;
  SrtpPeer bob;
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 3));
  for (uint64_t sequence = 1; sequence <= 5; ++sequence) {
    const std::optional<pb::Event> event = watcher.Next();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->sequence(), sequence);
    EXPECT_GT(event->time().seconds(), 1'600'000'000);
    if (event->has_leg_added()) {
      EXPECT_EQ(event->leg_added().kind(),
                event->leg_id() == "bob" ? pb::LEG_KIND_SRTP : pb::LEG_KIND_RTP);
    }
    if (event->has_stream_added()) {
      EXPECT_EQ(event->stream_added().ssrc(), kAliceSsrc);
    }
  }
}

TEST_F(EventsTest, AWatcherThatComesBackMissesNothing) {
  std::string instance_id;
  {
    EventWatcher watcher(control());
    instance_id = watcher.instance_id();
    control().CreateSession("one");
    EXPECT_THAT(Take(watcher, 1), ElementsAre("session_created one"));
  }
  control().CreateSession("two");
  control().DeleteSession("one");

  EventWatcher again(control(), After(1, instance_id));
  EXPECT_EQ(again.latest_sequence(), 3u);
  EXPECT_THAT(Take(again, 2), ElementsAre("session_created two", "session_ended one"));
  control().CreateSession("three");
  EXPECT_THAT(Take(again, 1), ElementsAre("session_created three"));
  // A second one that saw everything gets only what is new.
  EventWatcher late(control(), After(4, instance_id));
  control().CreateSession("four");
  EXPECT_THAT(Take(late, 1), ElementsAre("session_created four"));
}

TEST_F(EventsTest, CanBeThoseOfOneSession) {
  pb::WatchEventsRequest request;
  request.set_session_id("two");
  EventWatcher watcher(control(), request);
  control().CreateSession("one");
  control().CreateSession("two");
  control().DeleteSession("one");
  control().DeleteSession("two");
  EXPECT_THAT(Take(watcher, 2), ElementsAre("session_created two", "session_ended two"));
}

TEST_F(EventsTest, OfAnotherInstanceOrOfTheFutureAreOutOfRange) {
  control().CreateSession("one");
  const std::string instance_id = control().GetNode().instance_id();
  for (const pb::WatchEventsRequest& request :
       {After(1, "another instance"), After(99, instance_id)}) {
    EventWatcher watcher(control(), request);
    EXPECT_FALSE(watcher.Next().has_value());
    const grpc::Status status = watcher.Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::OUT_OF_RANGE)
        << request.ShortDebugString() << ": " << status.error_message();
  }
  EventWatcher nameless(control(), After(1, ""));
  EXPECT_FALSE(nameless.Next().has_value());
  const ErrorInfo error = ErrorInfoOf(nameless.Finish());
  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT) << error;
  EXPECT_THAT(error.fields, ElementsAre("instance_id"));
}

TEST_F(EventsTest, EndWithUnavailableWhenTheGatewayStops) {
  EventWatcher watcher(control());
  EXPECT_EQ(gateway().Stop(), 0) << gateway().Log();
  EXPECT_FALSE(watcher.Next().has_value());
  EXPECT_EQ(watcher.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

class ShortEventLogTest : public GatewayFixture {
 protected:
  ShortEventLogTest() : GatewayFixture({.config = "limits { event_log: 4 watchers: 2 }"}) {}
};

TEST_F(ShortEventLogTest, EventsThatAreNoLongerKeptAreOutOfRange) {
  for (int i = 0; i < 10; ++i) {
    control().CreateSession(absl::StrCat("session-", i));
  }
  const std::string instance_id = control().GetNode().instance_id();
  EventWatcher too_late(control(), After(3, instance_id));
  EXPECT_FALSE(too_late.Next().has_value());
  EXPECT_EQ(too_late.Finish().error_code(), grpc::StatusCode::OUT_OF_RANGE);

  EventWatcher in_time(control(), After(6, instance_id));
  EXPECT_THAT(Take(in_time, 4),
              ElementsAre("session_created session-6", "session_created session-7",
                          "session_created session-8", "session_created session-9"));
}

TEST_F(ShortEventLogTest, WatchersOverTheLimitAreRefusedByName) {
  EventWatcher first(control());
  EventWatcher second(control());
  EventWatcher third(control());
  EXPECT_FALSE(third.Next().has_value());
  const ErrorInfo error = ErrorInfoOf(third.Finish());
  EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED) << error;
  EXPECT_THAT(error.limits, ElementsAre("watchers"));
  // The two others are none the worse for it.
  control().CreateSession("one");
  EXPECT_THAT(Take(first, 1), ElementsAre("session_created one"));
  EXPECT_THAT(Take(second, 1), ElementsAre("session_created one"));
}

}  // namespace
}  // namespace sluice

#include "gateway/signalling/event_watches.h"

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
namespace sig = ::sluice::signalling::v1;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Service = GatewayService;
using Code = grpc::StatusCode;

// Writes down what it is given: "1 begins", "1 leg_added alice", "1 ends 0".
class RecordingSink final : public EventWatchSink {
 public:
  bool OnEvent(Timestamp, CallId id, const sig::WatchEventsResponse& message) override {
    if (meanwhile) {
      meanwhile(id);
    }
    if (blocked) {
      ++offers_refused;
      return false;
    }
    lines.push_back(absl::StrCat(uint64_t(id), " ", Describe(message)));
    return true;
  }
  void OnEnd(Timestamp, CallId id, const grpc::Status& status) override {
    lines.push_back(absl::StrCat(uint64_t(id), " ends ", int(status.error_code())));
    last = status;
  }
  std::vector<std::string> Take() { return std::exchange(lines, {}); }

  bool blocked = false;
  int offers_refused = 0;
  std::vector<std::string> lines;
  grpc::Status last;
  std::function<void(CallId)> meanwhile;

 private:
  static std::string Describe(const sig::WatchEventsResponse& message) {
    if (!message.has_event()) {
      return message.instance_id().empty() ? "nothing" : "begins";
    }
    const pb::Event& event = message.event();
    const auto* kind = event.GetReflection()->GetOneofFieldDescriptor(
        event, event.GetDescriptor()->FindOneofByName("event"));
    return absl::StrCat(kind->name(), " ", event.leg_id());
  }
};

class EventWatchesTest : public ::testing::Test {
 protected:
  EventWatchesTest() {
    EXPECT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'call'").ok());
    EXPECT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'other'").ok());
    harness_.WaitForEvents(2);
    alice_ = ClaimsFor("alice");
  }

  ParticipantClaims ClaimsFor(const std::string& leg, const std::string& fields = "") {
    pb::CreateParticipantTokenResponse created;
    EXPECT_TRUE(harness_
                    .Call(&Service::CreateParticipantToken,
                          absl::StrCat("session_id: 'call' leg_id: '", leg, "' ", fields), created)
                    .ok());
    return calls_.Authenticate(created.token()).value();
  }
  grpc::Status Open(int id, const ParticipantClaims& claims, uint64_t after = 0) {
    sig::WatchEventsRequest request;
    if (after > 0) {
      request.set_after_sequence(after);
      request.set_instance_id("test-instance");
    }
    return watches_.Open(now_, CallId{uint64_t(id)}, claims, request);
  }
  void Append(const std::string& leg, const std::string& session = "call") {
    pb::Event event;
    event.set_session_id(session);
    event.set_leg_id(leg);
    event.mutable_leg_updated();
    harness_.room().log().Append(event);
  }
  void AppendEnd() {
    pb::Event event;
    event.set_session_id("call");
    event.mutable_session_ended();
    harness_.room().log().Append(event);
  }
  bool Turn() {
    now_ += TimeDelta::Millis(1);
    return watches_.OnTurn(now_);
  }

  ControlHarness harness_;
  ParticipantCalls calls_{harness_.service(), harness_.room(), harness_.tokens()};
  RecordingSink sink_;
  EventWatches watches_{calls_, harness_.room().log(), sink_};
  Timestamp now_ = Timestamp::Seconds(100);
  ParticipantClaims alice_;
};

TEST_F(EventWatchesTest, AStreamBeginsAndSeesItsOwnLegAndTheEndOfItsSession) {
  ASSERT_TRUE(Open(1, alice_).ok());
  EXPECT_THAT(sink_.Take(), ElementsAre("1 begins"));
  Append("alice");
  Append("bob");
  Append("alice", "other");
  EXPECT_FALSE(Turn());
  EXPECT_THAT(sink_.Take(), ElementsAre("1 leg_updated alice"));
  AppendEnd();
  Append("alice");
  Turn();
  EXPECT_THAT(sink_.Take(), ElementsAre("1 session_ended ", "1 ends 0"));
  EXPECT_EQ(watches_.open(), 0u);
}

TEST_F(EventWatchesTest, EachStreamSeesItsOwn) {
  const ParticipantClaims bob = ClaimsFor("bob");
  ASSERT_TRUE(Open(1, alice_).ok());
  Append("alice");
  ASSERT_TRUE(Open(2, bob).ok());
  ASSERT_TRUE(Open(3, alice_).ok());
  Append("bob");
  Append("alice");
  sink_.Take();
  Turn();
  EXPECT_THAT(sink_.Take(), ElementsAre("1 leg_updated alice", "2 leg_updated bob",
                                        "1 leg_updated alice", "3 leg_updated alice"));
}

TEST_F(EventWatchesTest, AStreamGoesOnBehindASequence) {
  Append("alice");  // 3
  Append("alice");  // 4
  ASSERT_TRUE(Open(1, alice_, 3).ok());
  EXPECT_THAT(sink_.Take(), ElementsAre("1 begins", "1 leg_updated alice"));
  Turn();
  EXPECT_THAT(sink_.Take(), IsEmpty());
  EXPECT_EQ(Open(2, alice_, 40).error_code(), Code::OUT_OF_RANGE);
  EXPECT_EQ(watches_.open(), 1u);
}

TEST_F(EventWatchesTest, WhatIsNotTakenComesAgainAndNothingIsLostOrTwice) {
  ASSERT_TRUE(Open(1, alice_).ok());
  sink_.Take();
  sink_.blocked = true;
  Append("alice");
  Append("bob");
  Append("alice");
  Turn();
  Turn();
  EXPECT_EQ(sink_.offers_refused, 1) << "it waits to be resumed";
  sink_.blocked = false;
  watches_.Resume(now_, CallId{1});
  EXPECT_THAT(sink_.Take(), ElementsAre("1 leg_updated alice", "1 leg_updated alice"));
  Append("alice");
  Turn();
  EXPECT_THAT(sink_.Take(), ElementsAre("1 leg_updated alice"));
}

TEST_F(EventWatchesTest, TheBeginningMayHaveToWaitToo) {
  sink_.blocked = true;
  ASSERT_TRUE(Open(1, alice_).ok());
  Append("alice");
  Turn();
  EXPECT_THAT(sink_.Take(), IsEmpty());
  sink_.blocked = false;
  watches_.Resume(now_, CallId{1});
  EXPECT_THAT(sink_.Take(), ElementsAre("1 begins", "1 leg_updated alice"));
}

TEST_F(EventWatchesTest, AStreamThatFallsBehindTheLogEnds) {
  ASSERT_TRUE(Open(1, alice_).ok());
  sink_.blocked = true;
  Append("alice");
  Turn();
  // The log keeps 64.
  for (int i = 0; i < 70; ++i) {
    Append("bob");
  }
  Turn();
  sink_.blocked = false;
  sink_.Take();
  watches_.Resume(now_, CallId{1});
  EXPECT_THAT(sink_.Take(), ElementsAre("1 ends 11"));
}

TEST_F(EventWatchesTest, AQuietStreamDoesNotFallBehind) {
  ASSERT_TRUE(Open(1, alice_).ok());
  for (int i = 0; i < 200; ++i) {
    Append("x", "other");
    if (i % 50 == 0) {
      Turn();
    }
  }
  Turn();
  Append("alice");
  Turn();
  EXPECT_THAT(sink_.Take(), ElementsAre("1 begins", "1 leg_updated alice"));
}

TEST_F(EventWatchesTest, AllEndWhenTheThreadItselfWasTooSlow) {
  ASSERT_TRUE(Open(1, alice_).ok());
  for (int i = 0; i < 70; ++i) {
    Append("bob");
  }
  Turn();
  EXPECT_THAT(sink_.Take(), ElementsAre("1 begins", "1 ends 11"));
}

TEST_F(EventWatchesTest, ARevokedTokenEndsItsStreamWithoutAnEvent) {
  ASSERT_TRUE(Open(1, alice_).ok());
  ASSERT_TRUE(Open(2, ClaimsFor("bob")).ok());
  Turn();
  ASSERT_TRUE(harness_.tokens().Revoke(alice_.id, harness_.now()).ok());
  sink_.Take();
  now_ += TimeDelta::Millis(200);
  Turn();
  EXPECT_THAT(sink_.Take(), ElementsAre("1 ends 16"));
  EXPECT_EQ(sink_.last.error_message(), "token: revoked");
  EXPECT_EQ(calls_.refusals().count(ParticipantRefusal::kRevoked), 1u);
}

TEST_F(EventWatchesTest, ATokenIsLookedAtBeforeEachEvent) {
  ASSERT_TRUE(Open(1, alice_).ok());
  Turn();
  sink_.Take();
  harness_.Advance(absl::Hours(1));
  Append("alice");
  Turn();
  EXPECT_THAT(sink_.Take(), ElementsAre("1 ends 16"));
  EXPECT_EQ(sink_.last.error_message(), "token: expired");
}

TEST_F(EventWatchesTest, ATokenHasAsManyStreamsAsOverGrpc) {
  ASSERT_TRUE(Open(1, alice_).ok());
  ASSERT_TRUE(Open(2, alice_).ok());
  EXPECT_EQ(ReachedLimit(Open(3, alice_)), "streams_per_token");
  watches_.Close(CallId{1});
  EXPECT_TRUE(Open(3, alice_).ok());
}

TEST_F(EventWatchesTest, WithoutRightOrSessionThereIsNoStream) {
  EXPECT_EQ(Open(1, ClaimsFor("bob", "rights: PARTICIPANT_RIGHT_JOIN")).error_code(),
            Code::PERMISSION_DENIED);
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
  EXPECT_EQ(Open(2, alice_).error_code(), Code::NOT_FOUND);
  EXPECT_THAT(sink_.Take(), IsEmpty());
  EXPECT_EQ(watches_.open(), 0u);
}

TEST_F(EventWatchesTest, StreamsEndWithTheLog) {
  ASSERT_TRUE(Open(1, alice_).ok());
  Append("alice");
  harness_.room().log().Close();
  Turn();
  Turn();
  EXPECT_THAT(sink_.Take(), ElementsAre("1 begins", "1 leg_updated alice", "1 ends 14"));
}

TEST_F(EventWatchesTest, AStreamMayBeClosedWhileItIsGivenSomething) {
  ASSERT_TRUE(Open(1, alice_).ok());
  ASSERT_TRUE(Open(2, alice_).ok());
  sink_.Take();
  sink_.meanwhile = [this](CallId) {
    watches_.Close(CallId{1});
    watches_.Close(CallId{2});
  };
  Append("alice");
  Append("alice");
  Turn();
  EXPECT_THAT(sink_.Take(), SizeIs(1));
  EXPECT_EQ(watches_.open(), 0u);
}

}  // namespace
}  // namespace sluice

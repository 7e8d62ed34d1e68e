// How sessions end by themselves and on request, and what hold does. Nothing here sleeps: time
// passes in the gateway, which tells.

#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/event_watcher.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using Stub = ControlClient::Stub;

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

// Nothing ends but by the timeout under test, which is a second.
pb::SessionConfig OneSecond(google::protobuf::Duration* (pb::SessionConfig::*timeout)()) {
  pb::SessionConfig config;
  config.mutable_idle_timeout()->set_seconds(3600);
  config.mutable_offer_timeout()->set_seconds(3600);
  config.mutable_absolute_timeout()->set_seconds(7200);
  config.mutable_hold_timeout()->set_seconds(3600);
  (config.*timeout)()->set_seconds(1);
  return config;
}

class SessionEndTest : public GatewayFixture {
 protected:
  // A call of alice and bob.
  void MakeCall(const pb::SessionConfig& config) {
    control().CreateSession("call", config);
    alice_.Join(control(), "call", "alice");
    bob_.Join(control(), "call", "bob");
  }

  // Whether the session has ended.
  bool HasEnded() { return control().GetSession("call").state() == pb::SESSION_STATE_ENDED; }

  // The session is a tombstone that says why, holds its statistics and keeps its id.
  void ExpectTombstone(pb::EndReason reason) {
    const pb::Session session = control().GetSession("call");
    EXPECT_EQ(session.state(), pb::SESSION_STATE_ENDED);
    EXPECT_EQ(session.end_reason(), reason) << pb::EndReason_Name(session.end_reason());
    EXPECT_TRUE(session.has_end_time());
    EXPECT_EQ(control().GetStats("call").state(), pb::SESSION_STATE_ENDED);

    pb::CreateSessionRequest again;
    again.set_session_id("call");
    pb::CreateSessionResponse created;
    const ErrorInfo error = ErrorInfoOf(control().Call(&Stub::CreateSession, again, &created));
    EXPECT_EQ(error.code, grpc::StatusCode::FAILED_PRECONDITION) << error;
    EXPECT_THAT(error.preconditions, ElementsAre("TOMBSTONE/call"));

    const pb::Node node = control().GetNode();
    EXPECT_EQ(LimitOf(node, "media_ports").used(), 0u) << "ports of an ended session are free";
  }

  void Hold(absl::string_view leg_id, bool hold) {
    pb::LegConfig config;
    config.set_hold(hold);
    control().UpdateLeg(LegUpdateOf("call", leg_id, config, {"hold"}));
  }

  SrtpPeer alice_;
  PlainPeer bob_;
};

TEST_F(SessionEndTest, OfferTimeoutEndsASessionWithoutMedia) {
  EventWatcher watcher(control());
  MakeCall(OneSecond(&pb::SessionConfig::mutable_offer_timeout));
  EXPECT_EQ(watcher.Await(pb::Event::kSessionEnded, "call").session_ended().reason(),
            pb::END_REASON_OFFER_TIMEOUT);
  ExpectTombstone(pb::END_REASON_OFFER_TIMEOUT);
}

TEST_F(SessionEndTest, IdleTimeoutEndsASessionWhoseMediaStopped) {
  EventWatcher watcher(control());
  MakeCall(OneSecond(&pb::SessionConfig::mutable_idle_timeout));
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 1, 10));
  EXPECT_EQ(control().GetSession("call").state(), pb::SESSION_STATE_ACTIVE);
  EXPECT_EQ(watcher.Await(pb::Event::kSessionEnded, "call").session_ended().reason(),
            pb::END_REASON_IDLE_TIMEOUT);
  ExpectTombstone(pb::END_REASON_IDLE_TIMEOUT);
  EXPECT_EQ(VerdictOf(control().GetStats("call"), "alice", "forwarded"), 10u);
}

TEST_F(SessionEndTest, ForgedPacketsKeepNoSessionAlive) {
  EventWatcher watcher(control());
  MakeCall(OneSecond(&pb::SessionConfig::mutable_idle_timeout));
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 1, 10));
  LibsrtpSender stranger(MakeTestKey(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, 66));
  uint16_t sequence = 100;
  const Deadline deadline = Deadline::Generous();
  while (!HasEnded() && !deadline.passed()) {
    alice_.transport().SendRtp(stranger.ProtectRtp(RtpPacket(kAliceSsrc, sequence++)));
  }
  EXPECT_EQ(watcher.Await(pb::Event::kSessionEnded, "call").session_ended().reason(),
            pb::END_REASON_IDLE_TIMEOUT);
}

TEST_F(SessionEndTest, OneLegWithMediaKeepsTheSession) {
  // Half of it is silent all the time, as when the far end is muted.
  MakeCall(OneSecond(&pb::SessionConfig::mutable_idle_timeout));
  pb::SessionConfig clock;
  clock.mutable_absolute_timeout()->set_seconds(3);
  control().CreateSession("clock", clock);
  uint16_t sequence = 1;
  const Deadline deadline = Deadline::Generous();
  while (control().GetSession("clock").state() != pb::SESSION_STATE_ENDED && !deadline.passed()) {
    ExpectRtpArrives(alice_, bob_, {RtpPacket(kAliceSsrc, sequence++)});
  }
  EXPECT_FALSE(HasEnded());
}

TEST_F(SessionEndTest, AbsoluteTimeoutEndsASessionInFullFlow) {
  EventWatcher watcher(control());
  MakeCall(OneSecond(&pb::SessionConfig::mutable_absolute_timeout));
  uint16_t sequence = 1;
  const Deadline deadline = Deadline::Generous();
  while (!HasEnded() && !deadline.passed()) {
    alice_.SendRtp(RtpPacket(kAliceSsrc, sequence++));
  }
  EXPECT_EQ(watcher.Await(pb::Event::kSessionEnded, "call").session_ended().reason(),
            pb::END_REASON_ABSOLUTE_TIMEOUT);
  ExpectTombstone(pb::END_REASON_ABSOLUTE_TIMEOUT);
}

TEST_F(SessionEndTest, HoldTimeoutReplacesTheIdleTimeoutWhileAllLegsAreOnHold) {
  EventWatcher watcher(control());
  pb::SessionConfig config = OneSecond(&pb::SessionConfig::mutable_idle_timeout);
  config.mutable_hold_timeout()->set_seconds(3);
  MakeCall(config);
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 1, 10));
  Hold("alice", true);
  Hold("bob", true);
  EXPECT_EQ(watcher.Await(pb::Event::kSessionEnded, "call").session_ended().reason(),
            pb::END_REASON_HOLD_TIMEOUT);
  ExpectTombstone(pb::END_REASON_HOLD_TIMEOUT);
}

TEST_F(SessionEndTest, HoldStopsMediaBothWaysAndResumingGoesOn) {
  MakeCall({});
  // Across a wrap, so that a rollover counter that hold forgets shows.
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 32700, 1));
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 65400, 200));
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 32700, 1));
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 65400, 200));

  Hold("alice", true);
  for (uint16_t i = 0; i < 10; ++i) {
    alice_.SendRtp(RtpPacket(kAliceSsrc, 64 + i));
    bob_.SendRtp(RtpPacket(kBobSsrc, 64 + i));
  }
  control().AwaitStats("call", "counted what came during hold", [](const pb::SessionStats& now) {
    return LegOf(now, "alice").packets_received() == 211 &&
           LegOf(now, "bob").packets_received() == 211;
  });
  EXPECT_TRUE(alice_.transport().NothingWaits());
  EXPECT_TRUE(bob_.transport().NothingWaits());
  EXPECT_EQ(VerdictOf(control().GetStats("call"), "alice", "on_hold"), 10u);
  EXPECT_EQ(VerdictOf(control().GetStats("call"), "bob", "forwarded"), 201u);

  Hold("alice", false);
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 74, 20));
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 74, 20));
}

TEST_F(SessionEndTest, DeletingTwiceGivesTheSameFinalStatistics) {
  EventWatcher watcher(control());
  MakeCall({});
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 1, 30));
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 1, 20));

  const pb::DeleteSessionResponse first = control().DeleteSession("call");
  const pb::DeleteSessionResponse second = control().DeleteSession("call");
  EXPECT_TRUE(MessageDifferencer::Equals(first, second)) << first.DebugString() << "and then\n"
                                                         << second.DebugString();
  EXPECT_EQ(first.session().state(), pb::SESSION_STATE_ENDED);
  EXPECT_EQ(first.session().end_reason(), pb::END_REASON_DELETED);
  EXPECT_EQ(VerdictsOf(first.final_stats(), "alice"),
            (VerdictMap{{"forwarded", 30}, {"sent", 20}}));
  EXPECT_EQ(VerdictsOf(first.final_stats(), "bob"), (VerdictMap{{"forwarded", 20}, {"sent", 30}}));
  EXPECT_EQ(watcher.Await(pb::Event::kSessionEnded, "call").session_ended().reason(),
            pb::END_REASON_DELETED);
  ExpectTombstone(pb::END_REASON_DELETED);
}

TEST_F(SessionEndTest, ATimeoutIsReportedOnceAndDeletingAfterwardsGivesItsStatistics) {
  EventWatcher watcher(control());
  MakeCall(OneSecond(&pb::SessionConfig::mutable_idle_timeout));
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 1, 10));
  watcher.Await(pb::Event::kSessionEnded, "call");

  const pb::DeleteSessionResponse deleted = control().DeleteSession("call");
  EXPECT_EQ(deleted.session().end_reason(), pb::END_REASON_IDLE_TIMEOUT);
  EXPECT_EQ(VerdictOf(deleted.final_stats(), "alice", "forwarded"), 10u);
  control().CreateSession("marker");
  const std::optional<pb::Event> next = watcher.Next();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->session_id(), "marker") << "the end came a second time: " << next->DebugString();
}

TEST_F(SessionEndTest, PacketsForADeletedSessionReachNobody) {
  MakeCall({});
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 1, 10));
  control().DeleteSession("call");
  // The ports are closed, or at least nobody's.
  for (const Bytes& packet : RtpRun(kAliceSsrc, 11, 10)) {
    alice_.SendRtp(packet);
  }
  control().CreateSession("next");
  SrtpPeer carol({.key_number = 3});
  PlainPeer dave;
  carol.Join(control(), "next", "carol");
  dave.Join(control(), "next", "dave");
  ExpectRtpArrives(carol, dave, RtpRun(kAliceSsrc, 1, 10));
  EXPECT_TRUE(bob_.transport().NothingWaits());
  EXPECT_TRUE(dave.transport().NothingWaits());
}

}  // namespace
}  // namespace sluice

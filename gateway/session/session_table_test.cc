#include "gateway/session/session_table.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/errors/error_detail.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/outbox.h"
#include "gateway/session/session_spec.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"

namespace sluice {
namespace {

constexpr SuiteId kSuite = SuiteId::kAeadAes128Gcm;
const SessionTimeouts kTimeouts = {.idle = TimeDelta::Seconds(60),
                                   .offer = TimeDelta::Seconds(300),
                                   .absolute = TimeDelta::Seconds(86400),
                                   .hold = TimeDelta::Seconds(3600)};

TestPeerOptions PlainPeer(uint8_t host) { return {.host = host}; }

std::string Subject(const absl::Status& status) {
  const std::optional<ErrorDetail> detail = GetErrorDetail(status);
  return detail.has_value() ? detail->subject : "no detail";
}

void ExpectError(const absl::Status& status, absl::StatusCode code, const std::string& subject) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_EQ(Subject(status), subject) << status;
}

class SessionTableTest : public testing::Test {
 protected:
  SessionTable& table() { return harness_.table(); }
  Timestamp now() { return harness_.now(); }

  absl::Status Create(const std::string& id) {
    SessionSpec spec;
    spec.id = id;
    return table().CreateSession(now(), std::move(spec));
  }
  absl::Status Hold(const std::string& leg, bool hold) {
    LegUpdate update;
    update.hold = hold;
    return table().UpdateLeg(now(), "call", leg, std::move(update));
  }
  SessionSnapshot Get(const std::string& id = "call") { return *table().GetSession(now(), id); }

  SessionHarness harness_;
};

TEST_F(SessionTableTest, EveryCallNamesWhatDoesNotExist) {
  ASSERT_TRUE(Create("call").ok());
  const absl::StatusCode not_found = absl::StatusCode::kNotFound;
  const TestPeer peer(PlainPeer(1));
  ExpectError(table().GetSession(now(), "x").status(), not_found, "session");
  ExpectError(table().UpdateSession(now(), "x", {}), not_found, "session");
  ExpectError(table().DeleteSession(now(), "x").status(), not_found, "session");
  ExpectError(table().AddLeg(now(), "x", peer.Spec("a"), peer.Local()).status(), not_found,
              "session");
  ExpectError(table().GetLeg(now(), "x", "a").status(), not_found, "session");
  ExpectError(table().GetLeg(now(), "call", "a").status(), not_found, "leg");
  ExpectError(table().UpdateLeg(now(), "x", "a", {}), not_found, "session");
  ExpectError(table().UpdateLeg(now(), "call", "a", {}), not_found, "leg");
  ExpectError(table().RemoveLeg(now(), "x", "a").status(), not_found, "session");
  ExpectError(table().RemoveLeg(now(), "call", "a").status(), not_found, "leg");
  ExpectError(table().SetForwarding("x", {}), not_found, "session");
}

TEST_F(SessionTableTest, AnIdIsLiveOnce) {
  ASSERT_TRUE(Create("call").ok());
  ExpectError(Create("call"), absl::StatusCode::kAlreadyExists, "session");
  TestPeer peer(PlainPeer(1));
  harness_.AddLeg("call", "a", peer);
  ExpectError(table().AddLeg(now(), "call", peer.Spec("a"), peer.Local()).status(),
              absl::StatusCode::kAlreadyExists, "leg");
  EXPECT_EQ(table().leg_count(), 1u);
  // Leg ids belong to their session.
  ASSERT_TRUE(Create("other").ok());
  harness_.AddLeg("other", "a", peer);
  EXPECT_EQ(table().leg_count(), 2u);
}

TEST_F(SessionTableTest, LimitsAreNamedAndLeaveNothingBehind) {
  // 8 sessions, 16 legs, 4 a session.
  TestPeer peer(PlainPeer(1));
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(Create(std::to_string(i)).ok());
  }
  ExpectError(Create("9"), absl::StatusCode::kResourceExhausted, "sessions");
  EXPECT_EQ(table().session_count(), 8u);
  EXPECT_FALSE(table().GetSession(now(), "9").ok());

  for (int i = 0; i < 16; ++i) {
    harness_.AddLeg(std::to_string(i / 4), std::to_string(i % 4), peer);
  }
  ExpectError(table().AddLeg(now(), "0", peer.Spec("x"), peer.Local()).status(),
              absl::StatusCode::kResourceExhausted, "legs_per_session");
  ExpectError(table().AddLeg(now(), "7", peer.Spec("x"), peer.Local()).status(),
              absl::StatusCode::kResourceExhausted, "legs");
  EXPECT_EQ(table().leg_count(), 16u);
  EXPECT_TRUE(Get("7").legs.empty());

  ASSERT_TRUE(table().DeleteSession(now(), "0").ok());
  EXPECT_TRUE(Create("9").ok());
  harness_.AddLeg("7", "x", peer);
}

TEST_F(SessionTableTest, ALegThatIsRefusedLeavesNothingBehind) {
  ASSERT_TRUE(Create("call").ok());
  TestPeer peer(PlainPeer(1));
  LegSpec spec = peer.Spec("a");
  spec.remote->rtp.ip = *IpAddress::Parse("2001:db8::1");
  ExpectError(table().AddLeg(now(), "call", std::move(spec), peer.Local()).status(),
              absl::StatusCode::kInvalidArgument, "config.remote.rtp.ip");
  EXPECT_EQ(table().leg_count(), 0u);
  harness_.AddLeg("call", "a", peer);
}

TEST_F(SessionTableTest, DeletingGivesTheFinalStateAndAllSockets) {
  harness_.CreateSession("call", kTimeouts);
  TestPeer a(PlainPeer(1));
  TestPeer b({.host = 2, .suite = kSuite, .rtcp_mux = true});
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  harness_.AddLeg("call", "b", b);
  harness_.ReceiveRtp(a_leg, a);
  harness_.TakeSent();
  const absl::StatusOr<EndedSession> ended = table().DeleteSession(now(), "call");
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->report.state, SessionState::kEnded);
  EXPECT_EQ(ended->report.end_reason, EndReason::kDeleted);
  ASSERT_EQ(ended->report.legs.size(), 2u);
  EXPECT_EQ(ended->report.legs[0].packets_received, 1u);
  EXPECT_EQ(ended->report.legs[1].packets_sent, 1u);
  EXPECT_EQ(ended->sockets, (std::vector<SocketHandle>{a.Local().rtp_socket, a.Local().rtcp_socket,
                                                       b.Local().rtp_socket}));
  EXPECT_EQ(table().session_count(), 0u);
  EXPECT_EQ(table().leg_count(), 0u);
  EXPECT_EQ(table().NextTimeout(), Timestamp::PlusInfinity());
  harness_.ReceiveRtp(a_leg, a);
  EXPECT_EQ(table().stale_datagrams(), 1u);
  // The id is free again for this room; tombstones are the control room's.
  EXPECT_TRUE(Create("call").ok());
}

TEST_F(SessionTableTest, ASnapshotTellsTheSessionAsItIs) {
  SessionSpec spec;
  spec.id = "call";
  spec.timeouts = kTimeouts;
  spec.labels = {{"tenant", "a"}};
  ASSERT_TRUE(table().CreateSession(now(), std::move(spec)).ok());
  const Timestamp created = now();
  TestPeer a(PlainPeer(1));
  TestPeer b(PlainPeer(2));
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  harness_.AddLeg("call", "b", b);
  harness_.Advance(TimeDelta::Seconds(1));
  SessionSnapshot snapshot = Get();
  EXPECT_EQ(snapshot.id, "call");
  EXPECT_EQ(snapshot.state, SessionState::kOffered);
  EXPECT_EQ(snapshot.labels.at("tenant"), "a");
  EXPECT_EQ(snapshot.created, created);
  EXPECT_EQ(snapshot.sampled, now());
  EXPECT_EQ(snapshot.end_reason, std::nullopt);
  ASSERT_EQ(snapshot.forwarding.size(), 2u) << "the bridge is in force";
  EXPECT_EQ(snapshot.forwarding[1].from_leg, "b");
  harness_.ReceiveRtp(a_leg, a);
  EXPECT_EQ(Get().state, SessionState::kActive);
}

TEST_F(SessionTableTest, TheBridgeComesAndGoesWithTheSecondLeg) {
  harness_.CreateSession("call");
  TestPeer a(PlainPeer(1));
  TestPeer b(PlainPeer(2));
  TestPeer c(PlainPeer(3));
  const auto sent_by_a = [&](LegHandle a_leg) {
    harness_.ReceiveRtp(a_leg, a);
    return harness_.TakeSent().size();
  };
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  EXPECT_EQ(sent_by_a(a_leg), 0u);
  harness_.AddLeg("call", "b", b);
  EXPECT_EQ(sent_by_a(a_leg), 1u);
  harness_.AddLeg("call", "c", c);
  EXPECT_EQ(sent_by_a(a_leg), 0u);
  ASSERT_TRUE(table().RemoveLeg(now(), "call", "b").ok());
  EXPECT_EQ(sent_by_a(a_leg), 1u);
  ASSERT_TRUE(table().SetForwarding("call", {}).ok());
  EXPECT_EQ(sent_by_a(a_leg), 0u);
}

TEST_F(SessionTableTest, ForwardingIsReplacedAsAWholeOrNotAtAll) {
  harness_.CreateSession("call");
  std::vector<std::unique_ptr<TestPeer>> peers;
  std::vector<LegHandle> legs;
  for (const uint8_t host : {1, 2, 3}) {
    peers.push_back(std::make_unique<TestPeer>(PlainPeer(host)));
    legs.push_back(
        harness_.AddLeg("call", std::string(1, static_cast<char>('a' + host - 1)), *peers.back()));
  }
  ASSERT_TRUE(table().SetForwarding("call", {{"a", {"b", "c"}}}).ok());
  ExpectError(table().SetForwarding("call", {{"b", {"a"}}, {"c", {"x"}}}),
              absl::StatusCode::kInvalidArgument, "rules[1].to_leg_ids[0]");
  harness_.ReceiveRtp(legs[0], *peers[0]);
  EXPECT_EQ(harness_.TakeSent().size(), 2u);
  harness_.ReceiveRtp(legs[1], *peers[1]);
  EXPECT_TRUE(harness_.TakeSent().empty());
  // A removed leg is in no rule, also when its id is used again.
  ASSERT_TRUE(table().RemoveLeg(now(), "call", "b").ok());
  harness_.AddLeg("call", "b", *peers[1]);
  harness_.ReceiveRtp(legs[0], *peers[0]);
  EXPECT_EQ(harness_.TakeSent().size(), 1u);
}

TEST_F(SessionTableTest, RemovingALegGivesItsFinalState) {
  harness_.CreateSession("call");
  TestPeer a(PlainPeer(1));
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  harness_.ReceiveRtp(a_leg, a);
  const absl::StatusOr<LegSnapshot> removed = table().RemoveLeg(now(), "call", "a");
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(removed->packets_received, 1u);
  EXPECT_EQ(removed->local.rtp_socket, a.Local().rtp_socket);
  EXPECT_EQ(table().leg_count(), 0u);
  EXPECT_TRUE(Get().legs.empty());
}

// ---- Timeouts ----

TEST_F(SessionTableTest, AnOfferWithoutMediaEndsByItself) {
  harness_.CreateSession("call", kTimeouts);
  TestPeer a(PlainPeer(1));
  harness_.AddLeg("call", "a", a);
  EXPECT_EQ(table().NextTimeout(), now() + kTimeouts.offer);
  harness_.Advance(kTimeouts.offer - TimeDelta::Micros(1));
  EXPECT_TRUE(harness_.TakeEnded().empty());
  harness_.Advance(TimeDelta::Micros(1));
  const auto ended = harness_.TakeEnded();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0]->report.id, "call");
  EXPECT_EQ(ended[0]->report.state, SessionState::kEnded);
  EXPECT_EQ(ended[0]->report.end_reason, EndReason::kOfferTimeout);
  EXPECT_EQ(ended[0]->report.sampled, now());
  EXPECT_EQ(ended[0]->sockets.size(), 2u);
  EXPECT_EQ(table().session_count(), 0u);
  EXPECT_EQ(table().leg_count(), 0u);
  EXPECT_EQ(table().NextTimeout(), Timestamp::PlusInfinity());
}

TEST_F(SessionTableTest, AnActiveSessionEndsWhenAllLegsAreIdle) {
  harness_.CreateSession("call", kTimeouts);
  TestPeer a(PlainPeer(1));
  TestPeer b(PlainPeer(2));
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  const LegHandle b_leg = harness_.AddLeg("call", "b", b);
  harness_.ReceiveRtp(a_leg, a);
  EXPECT_EQ(table().NextTimeout(), now() + kTimeouts.idle) << "sooner than the offer's";
  // One leg speaking is enough, for hours.
  for (int i = 0; i < 200; ++i) {
    harness_.Advance(TimeDelta::Seconds(59));
    harness_.ReceiveRtp(b_leg, b);
    harness_.TakeSent();
  }
  EXPECT_EQ(table().session_count(), 1u);
  harness_.Advance(kTimeouts.idle);
  const auto ended = harness_.TakeEnded();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0]->report.end_reason, EndReason::kIdleTimeout);
}

TEST_F(SessionTableTest, RejectedPacketsKeepNoSessionAlive) {
  harness_.CreateSession("call", kTimeouts);
  TestPeer a({.host = 1, .suite = kSuite});
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  harness_.ReceiveRtp(a_leg, a);
  Bytes forged = a.NextRtp();
  forged.back() ^= 1;
  const Timestamp end = now() + kTimeouts.idle;
  while (table().session_count() > 0) {
    harness_.Receive(a_leg, Component::kRtp, a.rtp, forged);
    harness_.Advance(TimeDelta::Seconds(1));
    ASSERT_LE(now(), end + TimeDelta::Seconds(1));
  }
  EXPECT_EQ(harness_.TakeEnded().at(0)->report.end_reason, EndReason::kIdleTimeout);
}

TEST_F(SessionTableTest, OnHoldTheHoldTimeoutReplacesTheIdleOne) {
  harness_.CreateSession("call", kTimeouts);
  TestPeer a(PlainPeer(1));
  TestPeer b(PlainPeer(2));
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  harness_.AddLeg("call", "b", b);
  harness_.ReceiveRtp(a_leg, a);
  ASSERT_TRUE(Hold("a", true).ok());
  EXPECT_EQ(table().NextTimeout(), now() + kTimeouts.idle) << "one leg is not on hold";
  harness_.Advance(TimeDelta::Seconds(30));
  ASSERT_TRUE(Hold("b", true).ok());
  harness_.Advance(TimeDelta::Seconds(3599));
  EXPECT_EQ(table().session_count(), 1u);
  ASSERT_TRUE(Hold("b", false).ok());
  harness_.Advance(TimeDelta::Seconds(59));
  EXPECT_EQ(table().session_count(), 1u) << "idle is counted from the end of hold";
  ASSERT_TRUE(Hold("b", true).ok());
  harness_.Advance(kTimeouts.hold);
  EXPECT_EQ(harness_.TakeEnded().at(0)->report.end_reason, EndReason::kHoldTimeout);
}

TEST_F(SessionTableTest, RemovingTheLastLegThatWasNotOnHoldMakesAHold) {
  harness_.CreateSession("call", kTimeouts);
  TestPeer a(PlainPeer(1));
  TestPeer b(PlainPeer(2));
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  harness_.AddLeg("call", "b", b);
  harness_.ReceiveRtp(a_leg, a);
  ASSERT_TRUE(Hold("a", true).ok());
  ASSERT_TRUE(table().RemoveLeg(now(), "call", "b").ok());
  EXPECT_EQ(table().NextTimeout(), now() + kTimeouts.hold);
  ASSERT_TRUE(table().RemoveLeg(now(), "call", "a").ok());
  EXPECT_EQ(table().NextTimeout(), now() + kTimeouts.idle) << "nobody is on hold without legs";
}

TEST_F(SessionTableTest, NothingOutlivesTheAbsoluteTimeout) {
  harness_.CreateSession("call", kTimeouts);
  TestPeer a(PlainPeer(1));
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  const Timestamp end = now() + kTimeouts.absolute;
  while (now() + TimeDelta::Seconds(50) < end) {
    harness_.ReceiveRtp(a_leg, a);
    harness_.Advance(TimeDelta::Seconds(50));
  }
  ASSERT_EQ(table().session_count(), 1u);
  harness_.ReceiveRtp(a_leg, a);
  harness_.Advance(end - now());
  EXPECT_EQ(harness_.TakeEnded().at(0)->report.end_reason, EndReason::kAbsoluteTimeout);
}

TEST_F(SessionTableTest, NewTimeoutsAreInForceAtOnce) {
  harness_.CreateSession("call", kTimeouts);
  SessionUpdate update;
  update.offer = TimeDelta::Seconds(5);
  ASSERT_TRUE(table().UpdateSession(now(), "call", update).ok());
  EXPECT_EQ(table().NextTimeout(), now() + TimeDelta::Seconds(5));
  EXPECT_EQ(Get().timeouts.offer, TimeDelta::Seconds(5));
  harness_.Advance(TimeDelta::Seconds(4));
  update.offer = TimeDelta::Seconds(2);
  ASSERT_TRUE(table().UpdateSession(now(), "call", update).ok());
  EXPECT_LE(table().NextTimeout(), now());
  harness_.Advance(TimeDelta::Zero());
  EXPECT_EQ(table().session_count(), 0u);
}

TEST_F(SessionTableTest, SessionsWaitWithTheirEndUntilItCanBeReported) {
  SessionHarness::Options options;
  options.outbox_ended = 1;
  SessionHarness harness(options);
  harness.CreateSession("a", kTimeouts);
  harness.CreateSession("b", kTimeouts);
  harness.CreateSession("c", kTimeouts);
  harness.Advance(kTimeouts.offer + TimeDelta::Seconds(1));
  EXPECT_EQ(harness.table().session_count(), 2u);
  EXPECT_GT(harness.table().NextTimeout(), harness.now()) << "the worker must not spin";
  EXPECT_LE(harness.table().NextTimeout(), harness.now() + TimeDelta::Millis(10));
  std::vector<std::string> ended;
  for (int i = 0; i < 3; ++i) {
    for (const auto& session : harness.TakeEnded()) {
      ended.push_back(session->report.id);
    }
    harness.Advance(TimeDelta::Millis(20));
  }
  EXPECT_EQ(ended.size(), 3u);
  EXPECT_EQ(harness.table().session_count(), 0u);
}

TEST_F(SessionTableTest, AnOldKeyIsRetiredInTime) {
  harness_.CreateSession("call", kTimeouts);
  TestPeer a({.host = 1, .suite = kSuite});
  TestPeer b(PlainPeer(2));
  const LegHandle a_leg = harness_.AddLeg("call", "a", a);
  harness_.AddLeg("call", "b", b);
  harness_.ReceiveRtp(a_leg, a);
  const Bytes late = a.NextRtp();
  const Bytes too_late = a.NextRtp();
  LegUpdate update;
  update.remote_key = a.Rekey();
  ASSERT_TRUE(table().UpdateLeg(now(), "call", "a", std::move(update)).ok());
  EXPECT_EQ(table().NextTimeout(), now() + kKeyRetireDelay);
  harness_.Advance(kKeyRetireDelay - TimeDelta::Micros(1));
  harness_.Receive(a_leg, Component::kRtp, a.rtp, late);
  EXPECT_EQ(harness_.TakeSent().size(), 2u);
  harness_.Advance(TimeDelta::Micros(1));
  harness_.Receive(a_leg, Component::kRtp, a.rtp, too_late);
  EXPECT_TRUE(harness_.TakeSent().empty());
  EXPECT_EQ(VerdictCount(harness_.Leg("call", "a"), PacketVerdict::kAuthFailed), 1u);
}

TEST_F(SessionTableTest, AThousandSessionsLeaveNothingBehind) {
  for (int i = 0; i < 1000; ++i) {
    harness_.CreateSession("call", kTimeouts);
    TestPeer a({.host = 1, .suite = kSuite});
    TestPeer b(PlainPeer(2));
    const LegHandle a_leg = harness_.AddLeg("call", "a", a);
    harness_.AddLeg("call", "b", b);
    harness_.ReceiveRtp(a_leg, a);
    ASSERT_EQ(harness_.TakeSent().size(), 1u);
    harness_.TakeEvents();
    ASSERT_TRUE(table().DeleteSession(now(), "call").ok());
  }
  EXPECT_EQ(table().session_count(), 0u);
  EXPECT_EQ(table().leg_count(), 0u);
  EXPECT_EQ(harness_.arena().free(), harness_.arena().capacity());
}

}  // namespace
}  // namespace sluice

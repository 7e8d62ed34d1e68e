#include "gateway/session/session.h"

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/session/session_spec.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr Timestamp kStart = Timestamp::Seconds(1000);

Session MakeSession() {
  return Session(kStart, {.id = "call",
                          .timeouts = {.idle = TimeDelta::Seconds(60),
                                       .offer = TimeDelta::Seconds(300),
                                       .absolute = TimeDelta::Seconds(86400),
                                       .hold = TimeDelta::Seconds(3600)},
                          .labels = {}});
}

void ExpectDeadline(const Session& session, TimeDelta after_start, EndReason reason) {
  EXPECT_EQ(session.NextDeadline().at - kStart, after_start);
  EXPECT_EQ(session.NextDeadline().reason, reason);
}

TEST(SessionTest, AnOfferThatIsNeverTakenUpEnds) {
  const Session session = MakeSession();
  ExpectDeadline(session, TimeDelta::Seconds(300), EndReason::kOfferTimeout);
  EXPECT_EQ(session.Snapshot(kStart).state, SessionState::kOffered);
}

TEST(SessionTest, TheFirstMediaMakesItActiveOnce) {
  Session session = MakeSession();
  EXPECT_TRUE(session.OnAccepted(kStart + TimeDelta::Seconds(10), true));
  EXPECT_FALSE(session.OnAccepted(kStart + TimeDelta::Seconds(11), true));
  EXPECT_EQ(session.Snapshot(kStart).state, SessionState::kActive);
  ExpectDeadline(session, TimeDelta::Seconds(71), EndReason::kIdleTimeout);
}

TEST(SessionTest, RtcpKeepsACallAliveButDoesNotBeginIt) {
  Session session = MakeSession();
  EXPECT_FALSE(session.OnAccepted(kStart + TimeDelta::Seconds(10), false));
  ExpectDeadline(session, TimeDelta::Seconds(300), EndReason::kOfferTimeout);
  session.OnAccepted(kStart + TimeDelta::Seconds(20), true);
  session.OnAccepted(kStart + TimeDelta::Seconds(50), false);
  ExpectDeadline(session, TimeDelta::Seconds(110), EndReason::kIdleTimeout);
}

TEST(SessionTest, HoldReplacesIdleAndBothBeginAnew) {
  Session session = MakeSession();
  session.OnAccepted(kStart, true);
  session.SetAllOnHold(kStart + TimeDelta::Seconds(30), true);
  ExpectDeadline(session, TimeDelta::Seconds(3630), EndReason::kHoldTimeout);
  // Told again, but nothing changed.
  session.SetAllOnHold(kStart + TimeDelta::Seconds(40), true);
  ExpectDeadline(session, TimeDelta::Seconds(3630), EndReason::kHoldTimeout);
  session.SetAllOnHold(kStart + TimeDelta::Seconds(1000), false);
  ExpectDeadline(session, TimeDelta::Seconds(1060), EndReason::kIdleTimeout);
}

TEST(SessionTest, AnOfferOnHoldIsStillAnOffer) {
  Session session = MakeSession();
  session.SetAllOnHold(kStart, true);
  ExpectDeadline(session, TimeDelta::Seconds(300), EndReason::kOfferTimeout);
}

TEST(SessionTest, TheAbsoluteTimeoutIsWhateverHappens) {
  Session session = MakeSession();
  session.OnAccepted(kStart + TimeDelta::Seconds(86390), true);
  ExpectDeadline(session, TimeDelta::Seconds(86400), EndReason::kAbsoluteTimeout);
}

TEST(SessionTest, UpdatesChangeWhatTheyNameOnly) {
  Session session = MakeSession();
  session.Update({.idle = std::nullopt,
                  .offer = TimeDelta::Seconds(5),
                  .absolute = std::nullopt,
                  .hold = std::nullopt,
                  .labels = SessionLabels{{"tenant", "a"}}});
  ExpectDeadline(session, TimeDelta::Seconds(5), EndReason::kOfferTimeout);
  const SessionSnapshot snapshot = session.Snapshot(kStart);
  EXPECT_EQ(snapshot.timeouts.idle, TimeDelta::Seconds(60));
  EXPECT_EQ(snapshot.labels.at("tenant"), "a");
  session.Update({});
  EXPECT_EQ(session.Snapshot(kStart).labels.size(), 1u);
}

TEST(SessionTest, TimeoutsThatNeverComeAreNever) {
  Session session = MakeSession();
  session.Update({.idle = std::nullopt,
                  .offer = TimeDelta::PlusInfinity(),
                  .absolute = TimeDelta::PlusInfinity(),
                  .hold = std::nullopt,
                  .labels = std::nullopt});
  EXPECT_EQ(session.NextDeadline().at, Timestamp::PlusInfinity());
}

}  // namespace
}  // namespace sluice

#include "tools/ctl/session_view.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::Leg;
using ::sluice::gateway::v1::Session;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Session Call() {
  Session session;
  session.set_session_id("call-1");
  session.set_state(gateway::v1::SESSION_STATE_ACTIVE);
  session.mutable_create_time()->set_seconds(1'700'000'000);
  session.mutable_config()->mutable_idle_timeout()->set_seconds(30);
  (*session.mutable_config()->mutable_labels())["tenant"] = "acme";
  (*session.mutable_config()->mutable_labels())["a"] = "b";
  Leg* leg = session.add_legs();
  leg->set_leg_id("alice");
  leg->set_kind(gateway::v1::LEG_KIND_SRTP);
  leg->mutable_local_rtp()->set_ip("127.0.0.1");
  leg->mutable_local_rtp()->set_port(20000);
  leg->set_local_suite(gateway::v1::CRYPTO_SUITE_AEAD_AES_128_GCM);
  leg->set_hold(true);
  leg->set_rtcp_mux(true);
  auto* rule = session.add_forwarding();
  rule->set_from_leg_id("alice");
  rule->add_to_leg_ids("bob");
  rule->add_to_leg_ids("recorder");
  return session;
}

TEST(SessionViewTest, ASessionWithItsLegs) {
  EXPECT_EQ(RenderSession(Call()),
            "session call-1  active  worker 0  created 2023-11-14T22:13:20Z\n"
            "timeouts: offer -, idle 30s, hold -, absolute -\n"
            "labels: a=b,tenant=acme\n"
            "forwarding: alice -> bob + recorder\n"
            "\n"
            "LEG    KIND  GATEWAY RECEIVES AT  RTCP AT  GATEWAY SENDS TO  RTCP TO  IN  "
            "OUT               NOTES\n"
            "alice  srtp  127.0.0.1:20000      -        -                 -        -   "
            "AEAD_AES_128_GCM  rtcp-mux,hold\n");
}

TEST(SessionViewTest, KeysAndOptionsOfSrtpHaveATableOfTheirOwn) {
  Session session = Call();
  Leg& alice = *session.mutable_legs(0);
  for (const char mki : {'\1', '\2'}) {
    gateway::v1::LiveKey& key = *alice.add_local_keys();
    key.set_mki(std::string(1, mki));
    key.set_sending(mki == '\2');
  }
  alice.mutable_remote_options()->set_cryptex(gateway::v1::CRYPTEX_ON);
  EXPECT_THAT(RenderSession(session), EndsWith("\n"
                                               "LEG    WAY  KEYS      OPTIONS\n"
                                               "alice  in   -         cryptex=on\n"
                                               "alice  out  1:1,2:1*  -\n"));
  EXPECT_THAT(RenderLeg(alice), HasSubstr("1:1,2:1*"));
  // One key without a name is nothing to tell.
  alice.clear_remote_options();
  alice.clear_local_keys();
  alice.add_local_keys()->set_sending(true);
  EXPECT_THAT(RenderSession(session), Not(HasSubstr("OPTIONS")));
}

TEST(SessionViewTest, InterceptorsInForceHaveATableOfTheirOwn) {
  Session session = Call();
  gateway::v1::Interceptors& interceptors = *session.mutable_legs(0)->mutable_interceptors();
  interceptors.set_rtcp(gateway::v1::RTCP_HANDLING_TERMINATE);
  interceptors.set_reduced_size_rtcp(true);
  interceptors.set_reports(true);
  interceptors.set_nack(true);
  interceptors.set_pacer(false);
  EXPECT_THAT(RenderSession(session), EndsWith("\n"
                                               "LEG    RTCP                    INTERCEPTORS\n"
                                               "alice  terminate,reduced-size  reports,nack\n"));
  EXPECT_THAT(RenderLeg(session.legs(0)), HasSubstr("reports,nack"));
  // A leg whose packets just pass has nothing to tell.
  interceptors.Clear();
  interceptors.set_rtcp(gateway::v1::RTCP_HANDLING_FORWARD);
  interceptors.set_nack(false);
  EXPECT_THAT(RenderSession(session), Not(HasSubstr("INTERCEPTORS")));
}

TEST(SessionViewTest, ATombstoneSaysHowItEnded) {
  Session session = Call();
  session.set_state(gateway::v1::SESSION_STATE_ENDED);
  session.mutable_end_time()->set_seconds(1'700'000'060);
  session.set_end_reason(gateway::v1::END_REASON_IDLE_TIMEOUT);
  EXPECT_THAT(RenderSession(session), HasSubstr("ended 2023-11-14T22:14:20Z by idle_timeout\n"));
}

TEST(SessionViewTest, AListHasOneRowEach) {
  Session bare;
  bare.set_session_id("call-2");
  EXPECT_EQ(RenderSessions({Call(), bare}),
            "SESSION  STATE   LEGS   CREATED               ENDED BY  LABELS\n"
            "call-1   active  alice  2023-11-14T22:13:20Z  -         a=b,tenant=acme\n"
            "call-2   -       -      -                     -         -\n");
}

TEST(SessionViewTest, LabelsCannotMoveTheCursor) {
  Session session = Call();
  (*session.mutable_config()->mutable_labels())["a"] = "\x1b[2J";
  EXPECT_THAT(RenderSession(session), Not(HasSubstr("\x1b")));
  EXPECT_THAT(RenderSessions({session}), Not(HasSubstr("\x1b")));
}

TEST(SessionViewTest, NumbersOfANewerGatewayPrintAsTheyAre) {
  EXPECT_EQ(FormatState(static_cast<gateway::v1::SessionState>(9)), "9");
  EXPECT_EQ(FormatEndReason(static_cast<gateway::v1::EndReason>(99)), "99");
}

}  // namespace
}  // namespace sluice

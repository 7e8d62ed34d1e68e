#include "tools/ctl/sluicectl.h"

#include <cstdlib>

#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "tools/ctl/testing/command_fixture.h"
#include "tools/ctl/testing/fake_gateway.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::gateway::v1;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class SluicectlTest : public CommandFixture {
 protected:
  SluicectlTest() { setenv("SLUICE_GATEWAY", gateway_.address().c_str(), 1); }

  // Runs a command line with --insecure.
  int Run(const std::string& line) { return RunLine("--insecure " + line); }

  FakeGateway gateway_;
};

TEST_F(SluicectlTest, SessionCreate) {
  v1::CreateSessionResponse response;
  response.mutable_session()->set_session_id("call-1");
  gateway_.Answer("CreateSession", response);
  EXPECT_EQ(Run("session create call-1 --idle-timeout 30s --label tenant=acme"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("CreateSession"),
              ElementsAre("session_id: \"call-1\" config { idle_timeout { seconds: 30 } "
                          "labels { key: \"tenant\" value: \"acme\" } }"));
  EXPECT_THAT(out(), StartsWith("session call-1"));
  EXPECT_EQ(err(), "");
}

TEST_F(SluicectlTest, SessionUpdateSaysWhatChanges) {
  EXPECT_EQ(Run("session update call-1 --hold-timeout 5m"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("UpdateSession"),
              ElementsAre("session_id: \"call-1\" config { hold_timeout { seconds: 300 } } "
                          "update_mask { paths: \"hold_timeout\" }"));
  EXPECT_EQ(Run("session update call-1"), kUsage);
  EXPECT_THAT(err(), HasSubstr("nothing to update"));
}

TEST_F(SluicectlTest, SessionListAsksForAllPages) {
  v1::ListSessionsResponse page;
  page.add_sessions()->set_session_id("a");
  page.set_next_page_token("more");
  gateway_.Answer("ListSessions", page);
  page.mutable_sessions(0)->set_session_id("b");
  page.clear_next_page_token();
  gateway_.Answer("ListSessions", page);
  EXPECT_EQ(Run("session list --prefix x --ended --output=json"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("ListSessions"),
              ElementsAre(Not(HasSubstr("page_token")), HasSubstr("page_token: \"more\"")));
  EXPECT_THAT(out(), AllOf(HasSubstr("\"sessionId\":\"a\""), HasSubstr("\"sessionId\":\"b\"")));
  EXPECT_EQ(out().find('\n'), out().size() - 1);
}

TEST_F(SluicectlTest, SessionGetAndDelete) {
  EXPECT_EQ(Run("session get call-1"), kOk) << err();
  EXPECT_EQ(Run("session delete call-1"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("GetSession"), ElementsAre("session_id: \"call-1\""));
  EXPECT_THAT(gateway_.Requests("DeleteSession"), ElementsAre("session_id: \"call-1\""));
}

TEST_F(SluicectlTest, LegAddShowsTheKeyThatTheGatewayHandsOut) {
  v1::AddLegResponse response;
  response.mutable_leg()->set_leg_id("alice");
  response.mutable_local_key()->set_suite(v1::CRYPTO_SUITE_AEAD_AES_128_GCM);
  response.mutable_local_key()->set_master_key_and_salt("abc");
  gateway_.Answer("AddLeg", response);
  EXPECT_EQ(Run("leg add call-1 alice --kind srtp --remote 192.0.2.1:5004 --rtcp-mux --learn "
                "--remote-key AEAD_AES_128_GCM:inline:YWJj --payload-type 111:opus:48000 "
                "--payload-type 0 --remote-ssrc 4294967295"),
            kOk)
      << err();
  EXPECT_THAT(
      gateway_.Requests("AddLeg"),
      ElementsAre(
          "session_id: \"call-1\" leg_id: \"alice\" config { kind: LEG_KIND_SRTP "
          "rtcp_mux: true remote { rtp { ip: \"192.0.2.1\" port: 5004 } } "
          "address_learning: ADDRESS_LEARNING_LEARN "
          "remote_key { suite: CRYPTO_SUITE_AEAD_AES_128_GCM master_key_and_salt: \"abc\" } "
          "payload_types { number: 111 encoding_name: \"opus\" clock_rate_hz: 48000 } "
          "payload_types { } remote_ssrcs: 4294967295 }"));
  EXPECT_THAT(out(), HasSubstr("AEAD_AES_128_GCM:inline:YWJj"));
}

TEST_F(SluicectlTest, LegUpdateAndRemove) {
  EXPECT_EQ(Run("leg update call-1 alice --hold --local-key prepare"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("UpdateLeg"),
              ElementsAre("session_id: \"call-1\" leg_id: \"alice\" config { hold: true } "
                          "update_mask { paths: \"hold\" } "
                          "local_key_change: LOCAL_KEY_CHANGE_PREPARE"));
  EXPECT_EQ(Run("leg update call-1 alice"), kUsage);
  EXPECT_EQ(Run("leg remove call-1 alice"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("RemoveLeg"),
              ElementsAre("session_id: \"call-1\" leg_id: \"alice\""));
}

TEST_F(SluicectlTest, LegsHaveOptionsAndKeysWithNames) {
  v1::AddLegResponse response;
  response.mutable_leg()->set_leg_id("alice");
  response.mutable_local_key()->set_suite(v1::CRYPTO_SUITE_AEAD_AES_128_GCM);
  response.mutable_local_key()->set_master_key_and_salt("abc");
  response.mutable_local_key()->set_mki("\1");
  gateway_.Answer("AddLeg", response);
  EXPECT_EQ(Run("leg add call-1 alice --kind srtp --local-mki 1:1 --local-option cryptex=on "
                "--remote-option rtp_replay_window=64 --remote-option key_derivation_rate=16 "
                "--remote-key AEAD_AES_128_GCM:inline:YWJj|66:1"),
            kOk)
      << err();
  EXPECT_THAT(gateway_.Requests("AddLeg"),
              ElementsAre("session_id: \"call-1\" leg_id: \"alice\" config { kind: LEG_KIND_SRTP "
                          "remote_key { suite: CRYPTO_SUITE_AEAD_AES_128_GCM "
                          "master_key_and_salt: \"abc\" mki: \"B\" } local_mki: \"\\001\" "
                          "local_options { cryptex: CRYPTEX_ON } remote_options { "
                          "rtp_replay_window: 64 key_derivation_rate: 16 } }"));
  EXPECT_THAT(out(), HasSubstr("AEAD_AES_128_GCM:inline:YWJj|1:1"));

  EXPECT_EQ(Run("leg update call-1 alice --local-key retire --local-mki 65:1"), kOk) << err();
  EXPECT_EQ(Run("leg update call-1 alice --retire-remote-key 66:1 --retire-remote-key 67:1"), kOk)
      << err();
  EXPECT_THAT(gateway_.Requests("UpdateLeg"),
              ElementsAre("session_id: \"call-1\" leg_id: \"alice\" config { } update_mask { } "
                          "local_key_change: LOCAL_KEY_CHANGE_RETIRE local_mki: \"A\"",
                          "session_id: \"call-1\" leg_id: \"alice\" config { } update_mask { } "
                          "retire_remote_mkis: \"B\" retire_remote_mkis: \"C\""));
  for (const char* line :
       {"leg update call-1 alice --local-mki 1", "leg update call-1 alice --retire-remote-key x",
        "leg add s l --kind srtp --local-mki 256:1", "leg add s l --kind srtp --local-option x=1",
        "leg update call-1 alice --local-mki 1:1"}) {
    EXPECT_EQ(Run(line), kUsage) << line;
    EXPECT_THAT(err(), MatchesRegex("sluicectl: [^\n]+\n")) << line;
  }
}

TEST_F(SluicectlTest, LegsHaveMediaAndInterceptors) {
  EXPECT_EQ(Run("leg add call-1 dave --kind rtp --payload-type 96:VP8/90000:nack,nack-pli "
                "--payload-type 97:rtx/90000:apt=96 --extension 3=urn:a --stream 1001,rtx=1002 "
                "--interceptor nack=on --interceptor pacer=off --rtcp terminate "
                "--reduced-size-rtcp"),
            kOk)
      << err();
  EXPECT_THAT(gateway_.Requests("AddLeg"),
              ElementsAre("session_id: \"call-1\" leg_id: \"dave\" config { kind: LEG_KIND_RTP "
                          "payload_types { number: 96 encoding_name: \"VP8\" clock_rate_hz: 90000 "
                          "rtcp_feedback: \"nack\" rtcp_feedback: \"nack pli\" } "
                          "payload_types { number: 97 encoding_name: \"rtx\" clock_rate_hz: 90000 "
                          "associated_number: 96 } header_extensions { id: 3 uri: \"urn:a\" } "
                          "remote_streams { ssrc: 1001 retransmission_ssrc: 1002 } "
                          "interceptors { rtcp: RTCP_HANDLING_TERMINATE reduced_size_rtcp: true "
                          "nack: true pacer: false } }"));
  EXPECT_EQ(Run("leg update call-1 dave --interceptor jitter_buffer=on"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("UpdateLeg"),
              ElementsAre("session_id: \"call-1\" leg_id: \"dave\" config { interceptors { "
                          "jitter_buffer: true } } update_mask { paths: \"interceptors\" }"));
  for (const char* line : {"leg update s l --interceptor colour=on", "leg update s l --rtcp drop",
                           "leg update s l --stream x", "leg update s l --extension 3",
                           "leg update s l --payload-type 96:VP8/90000:sometimes"}) {
    EXPECT_EQ(Run(line), kUsage) << line;
    EXPECT_THAT(err(), MatchesRegex("sluicectl: --[^\n]+\n")) << line;
  }
}

TEST_F(SluicectlTest, ForwardingSet) {
  EXPECT_EQ(Run("forwarding set call-1 alice=bob bob=alice,carol"), kOk) << err();
  EXPECT_EQ(Run("forwarding set call-1 --nobody"), kOk) << err();
  EXPECT_THAT(
      gateway_.Requests("SetForwarding"),
      ElementsAre("session_id: \"call-1\" rules { from_leg_id: \"alice\" to_leg_ids: \"bob\" } "
                  "rules { from_leg_id: \"bob\" to_leg_ids: \"alice\" to_leg_ids: \"carol\" }",
                  "session_id: \"call-1\""));
  EXPECT_EQ(Run("forwarding set call-1"), kUsage);
  EXPECT_EQ(Run("forwarding set call-1 alice=bob --nobody"), kUsage);
}

TEST_F(SluicectlTest, StatsOnceAndUntilTheEnd) {
  v1::GetStatsResponse response;
  response.mutable_stats()->set_session_id("call-1");
  response.mutable_stats()->set_state(v1::SESSION_STATE_ACTIVE);
  gateway_.Answer("GetStats", response);
  EXPECT_EQ(Run("stats call-1 --once"), kOk) << err();
  EXPECT_THAT(out(), StartsWith("session call-1  active"));
  response.mutable_stats()->set_state(v1::SESSION_STATE_ENDED);
  gateway_.Answer("GetStats", response);
  EXPECT_EQ(Run("stats call-1 --interval 1ms --output=json"), kOk) << err();
  EXPECT_THAT(out(), AllOf(HasSubstr("ACTIVE"), HasSubstr("ENDED")));
  EXPECT_EQ(Run("stats call-1 --interval 1"), kUsage);
}

TEST_F(SluicectlTest, StatsAreWatchedUntilTheGatewayHasNoMore) {
  v1::WatchStatsResponse active, ended;
  active.mutable_stats()->set_session_id("call-1");
  active.mutable_stats()->set_state(v1::SESSION_STATE_ACTIVE);
  ended = active;
  ended.mutable_stats()->set_state(v1::SESSION_STATE_ENDED);
  gateway_.StreamStats({active, ended});
  EXPECT_EQ(Run("stats call-1 --watch --interval 250ms"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("WatchStats"),
              ElementsAre("session_id: \"call-1\" interval { nanos: 250000000 }"));
  EXPECT_THAT(out(),
              AllOf(HasSubstr("session call-1  active"), HasSubstr("session call-1  ended")));
  EXPECT_THAT(gateway_.Requests("GetStats"), IsEmpty());
  EXPECT_EQ(Run("stats call-1 --watch --output=json"), kOk) << err();
  EXPECT_THAT(out(), AllOf(HasSubstr("ACTIVE"), HasSubstr("ENDED")));

  gateway_.Fail("WatchStats", grpc::Status(grpc::StatusCode::NOT_FOUND, "no such session"));
  gateway_.StreamStats({});
  EXPECT_EQ(Run("stats call-2 --watch"), kFailed);
  EXPECT_EQ(err(), "sluicectl: NOT_FOUND: no such session\n");
  EXPECT_EQ(Run("stats call-1 --watch --once"), kUsage);
}

TEST_F(SluicectlTest, EventsResumeInTheRunningInstance) {
  v1::GetNodeResponse node;
  node.mutable_node()->set_instance_id("abc");
  gateway_.Answer("GetNode", node);
  v1::WatchEventsResponse header, event;
  header.set_instance_id("abc");
  header.set_latest_sequence(18);
  event.mutable_event()->set_sequence(18);
  event.mutable_event()->set_session_id("call-1");
  event.mutable_event()->mutable_session_created();
  gateway_.Stream({header, event});
  EXPECT_EQ(Run("events --after 17"), kOk) << err();
  EXPECT_EQ(out(),
            "# gateway instance abc, newest event 18\n"
            "18  -  call-1  -  session_created\n");
  EXPECT_EQ(Run("events --after 3 --instance old --session call-1"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("WatchEvents"),
              ElementsAre("after_sequence: 17 instance_id: \"abc\"",
                          "after_sequence: 3 instance_id: \"old\" session_id: \"call-1\""));
}

TEST_F(SluicectlTest, SessionWatchEndsWithTheSession) {
  v1::WatchEventsResponse header, ended, after;
  ended.mutable_event()->set_sequence(5);
  ended.mutable_event()->mutable_session_ended()->set_reason(v1::END_REASON_DELETED);
  after.mutable_event()->set_sequence(6);
  gateway_.Stream({header, ended, after});
  EXPECT_EQ(Run("session watch call-1"), kOk) << err();
  EXPECT_THAT(out(), EndsWith("session_ended deleted\n"));

  gateway_.Fail("GetSession", grpc::Status(grpc::StatusCode::NOT_FOUND, "no such session"));
  EXPECT_EQ(Run("session watch call-2"), kFailed);
  EXPECT_EQ(err(), "sluicectl: NOT_FOUND: no such session\n");
}

TEST_F(SluicectlTest, AnErrorIsOneLineWithFieldAndFlag) {
  google::rpc::BadRequest request;
  auto* violation = request.add_field_violations();
  violation->set_field("config.idle_timeout");
  violation->set_description("is above 24 h");
  google::rpc::Status details;
  details.add_details()->PackFrom(request);
  gateway_.Fail("CreateSession", grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "bad request",
                                              details.SerializeAsString()));
  EXPECT_EQ(Run("session create call-1 --idle-timeout 100h"), kFailed);
  EXPECT_EQ(out(), "");
  EXPECT_EQ(err(),
            "sluicectl: INVALID_ARGUMENT: bad request; config.idle_timeout: is above 24 h "
            "(--idle-timeout 30s)\n");
}

TEST_F(SluicectlTest, WrongUsageIsOneLineAndAsksNobody) {
  for (const char* line :
       {"", "nonsense", "session", "session create", "session create a b", "session create a --x",
        "--output=xml node", "--timeout 5 node", "leg add s l", "leg add s l --kind webrtc",
        "leg add s l --kind rtp --remote nowhere", "session create a --idle-timeout 5",
        "pki init --days 0", "pki init --host a_b", "demo --seconds -1", "demo --media-ip host",
        "--gateway nowhere node", "--gateway 192.0.2.1:7443 node"}) {
    EXPECT_EQ(Run(line), kUsage) << line << ": " << err();
    EXPECT_EQ(out(), "") << line;
    EXPECT_THAT(err(), MatchesRegex("sluicectl: [^\n]+\n")) << line;
  }
  for (const char* method : {"CreateSession", "AddLeg", "GetNode"}) {
    EXPECT_THAT(gateway_.Requests(method), IsEmpty());
  }
}

TEST_F(SluicectlTest, AWordThatIsNoCommandIsNamed) {
  EXPECT_EQ(Run("session crate call-1"), kUsage);
  EXPECT_EQ(err(), "sluicectl: 'crate' is not known here; see sluicectl session --help\n");
}

TEST_F(SluicectlTest, GlobalOptionsStandAnywhereAndTheLastOneCounts) {
  EXPECT_EQ(Run("--output=table node --output=json"), kOk) << err();
  EXPECT_THAT(out(), StartsWith("{"));
}

TEST_F(SluicectlTest, HelpHasExamplesEverywhere) {
  for (const char* line :
       {"--help", "session create --help", "session list --help", "session update --help",
        "leg add --help", "leg update --help", "forwarding set --help", "stats --help",
        "events --help", "pki init --help", "demo --help"}) {
    EXPECT_EQ(RunLine(line), kOk) << line;
    EXPECT_THAT(out(), HasSubstr("Example")) << line;
    EXPECT_EQ(err(), "") << line;
  }
}

TEST_F(SluicectlTest, WithoutCertificatesItSaysHowToMakeThem) {
  EXPECT_EQ(RunLine("node"), kFailed);
  EXPECT_THAT(err(), AllOf(HasSubstr("nothing-here/sluice/pki/ca.crt"), HasSubstr("pki init")));
}

TEST_F(SluicectlTest, NobodyThereIsUnavailable) {
  EXPECT_EQ(Run("--gateway 127.0.0.1:1 node"), kFailed);
  EXPECT_THAT(err(), StartsWith("sluicectl: UNAVAILABLE: "));
}

}  // namespace
}  // namespace sluice

// token create and revoke; signal join, leave and events.

#include <cstdlib>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/ctl/testing/command_fixture.h"
#include "tools/ctl/testing/fake_gateway.h"
#include "tools/ctl/testing/fake_signalling.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::gateway::v1;
namespace sig = ::sluice::signalling::v1;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class ParticipantCommandsTest : public CommandFixture {
 protected:
  ParticipantCommandsTest() {
    setenv("SLUICE_GATEWAY", gateway_.address().c_str(), 1);
    setenv("SLUICE_SIGNALLING", signalling_.address().c_str(), 1);
  }

  int Run(const std::string& line, const std::string& first = "--insecure ") {
    return RunLine(first + line);
  }

  FakeGateway gateway_;
  FakeSignalling signalling_;
};

TEST_F(ParticipantCommandsTest, TokenCreateShowsTokenAndId) {
  v1::CreateParticipantTokenResponse response;
  response.set_token("a.b.c");
  response.set_token_id("0123");
  response.mutable_expire_time()->set_seconds(1'700'000'000);
  gateway_.Answer("CreateParticipantToken", response);
  EXPECT_EQ(Run("token create call-1 alice --right join --right events --lifetime 10m"), kOk)
      << err();
  EXPECT_THAT(gateway_.Requests("CreateParticipantToken"),
              ElementsAre("session_id: \"call-1\" leg_id: \"alice\" rights: PARTICIPANT_RIGHT_JOIN "
                          "rights: PARTICIPANT_RIGHT_EVENTS lifetime { seconds: 600 }"));
  EXPECT_EQ(out(), "token 0123, until 2023-11-14T22:13:20Z, for the participant alone:\na.b.c\n");
}

TEST_F(ParticipantCommandsTest, TokenRevokeNamesItsId) {
  EXPECT_EQ(Run("token revoke 0123"), kOk) << err();
  EXPECT_THAT(gateway_.Requests("RevokeParticipantToken"), ElementsAre("token_id: \"0123\""));
  EXPECT_EQ(out(), "revoked\n");
}

TEST_F(ParticipantCommandsTest, JoinOffersKeysAndShowsTheGatewaysOwn) {
  sig::JoinResponse response;
  response.mutable_leg()->set_leg_id("alice");
  response.mutable_local_key()->set_suite(v1::CRYPTO_SUITE_AEAD_AES_128_GCM);
  response.mutable_local_key()->set_master_key_and_salt("abc");
  signalling_.AnswerJoin(response);
  EXPECT_EQ(Run("signal join --token a.b.c --remote 192.0.2.1:5004 --rtcp-mux "
                "--offer AEAD_AES_256_GCM:inline:YWJj --offer AEAD_AES_128_GCM:inline:YWJk"),
            kOk)
      << err();
  EXPECT_THAT(
      signalling_.Requests(),
      ElementsAre("Join Bearer a.b.c: config { rtcp_mux: true remote { rtp { ip: \"192.0.2.1\" "
                  "port: 5004 } } } "
                  "offered_keys { suite: CRYPTO_SUITE_AEAD_AES_256_GCM master_key_and_salt: "
                  "\"abc\" } "
                  "offered_keys { suite: CRYPTO_SUITE_AEAD_AES_128_GCM master_key_and_salt: "
                  "\"abd\" }"));
  EXPECT_THAT(out(), HasSubstr("AEAD_AES_128_GCM:inline:YWJj"));
}

TEST_F(ParticipantCommandsTest, UpdateAndPing) {
  EXPECT_EQ(Run("signal update --token t --hold --local-key prepare"), kOk) << err();
  EXPECT_THAT(out(), HasSubstr("updated"));
  EXPECT_EQ(Run("signal ping --token t --payload abc"), kOk) << err();
  EXPECT_EQ(out(), "the gateway answers; its clock: 2023-11-14T22:13:20Z\n");
  EXPECT_THAT(signalling_.Requests(),
              ElementsAre("UpdateLeg Bearer t: config { hold: true } update_mask { paths: \"hold\" "
                          "} local_key_change: LOCAL_KEY_CHANGE_PREPARE",
                          "Ping Bearer t: payload: \"abc\""));
}

TEST_F(ParticipantCommandsTest, ATokenMayComeFromAFile) {
  const std::string path = testing::TempDir() + "/alice.token";
  std::ofstream(path) << "\n  x.y.z \n";
  EXPECT_EQ(Run("signal leave --token-file " + path), kOk) << err();
  EXPECT_THAT(signalling_.Requests(), ElementsAre("Leave Bearer x.y.z: "));
  EXPECT_THAT(out(), StartsWith("left; "));
  EXPECT_EQ(Run("signal leave --token-file /nowhere"), kFailed);
  EXPECT_THAT(err(), HasSubstr("there is no token in /nowhere"));
}

TEST_F(ParticipantCommandsTest, EventsAreShownUntilTheStreamEnds) {
  sig::WatchEventsResponse header, event;
  header.set_instance_id("abc");
  header.set_latest_sequence(18);
  event.mutable_event()->set_sequence(19);
  event.mutable_event()->set_session_id("call-1");
  event.mutable_event()->mutable_session_ended();
  signalling_.Stream({header, event});
  EXPECT_EQ(Run("signal events --token t --after 3 --instance abc"), kOk) << err();
  EXPECT_THAT(out(), AllOf(StartsWith("# gateway instance abc, newest event 18\n"),
                           HasSubstr("session_ended")));
  EXPECT_THAT(signalling_.Requests(),
              ElementsAre("WatchEvents Bearer t: after_sequence: 3 instance_id: \"abc\""));
}

TEST_F(ParticipantCommandsTest, ARefusalIsOneLine) {
  signalling_.Fail(grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "token: expired"));
  EXPECT_EQ(Run("signal leave --token t"), kFailed);
  EXPECT_THAT(err(), StartsWith("sluicectl: UNAUTHENTICATED: token: expired; "));
}

TEST_F(ParticipantCommandsTest, WrongUsageIsOneLineAndAsksNobody) {
  for (const char* line :
       {"token", "token create call-1", "token create call-1 alice --right fly",
        "token create call-1 alice --lifetime 5", "token revoke", "signal", "signal leave",
        "signal leave --token a --token-file b", "signal join --token t --offer nonsense",
        "signal join --token t --remote-key AEAD_AES_128_GCM:inline:YWJj",
        "signal update --token t", "signal leave --token t --quic nowhere",
        "signal leave --token t --target quic://192.0.2.1:1",
        "signal leave --token t --target nowhere", "signal leave --token t --target 192.0.2.1:1"}) {
    EXPECT_EQ(Run(line), kUsage) << line << ": " << err();
    EXPECT_EQ(out(), "") << line;
    EXPECT_THAT(err(), MatchesRegex("sluicectl: [^\n]+\n")) << line;
  }
  EXPECT_THAT(signalling_.Requests(), IsEmpty());
  EXPECT_THAT(gateway_.Requests("CreateParticipantToken"), IsEmpty());
}

TEST_F(ParticipantCommandsTest, WithTlsTheAuthorityIsAskedFor) {
  EXPECT_EQ(Run("signal leave --token t", ""), kFailed);
  EXPECT_THAT(err(), AllOf(HasSubstr("nothing-here/sluice/pki/ca.crt"), HasSubstr("pki init")));
}

TEST_F(ParticipantCommandsTest, HelpHasExamples) {
  for (const char* line : {"token create --help", "signal join --help"}) {
    EXPECT_EQ(Run(line), kOk) << line;
    EXPECT_THAT(out(), HasSubstr("Example")) << line;
  }
}

}  // namespace
}  // namespace sluice

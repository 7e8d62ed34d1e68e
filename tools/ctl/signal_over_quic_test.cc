// signal join, update, leave, events and ping over QUIC.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/leg.pb.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "tools/ctl/testing/command_fixture.h"
#include "tools/ctl/testing/fake_quic_signalling.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::gateway::v1;
namespace sig = ::sluice::signalling::v1;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class SignalOverQuicTest : public CommandFixture {
 protected:
  SignalOverQuicTest() : folder_(testing::TempDir() + "/quic-pki") {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/ca.crt") << signalling_.root_pem();
    unsetenv("SLUICE_SIGNALLING");
  }

  int Run(const std::string& line) {
    return RunLine("--timeout 30s --tls-dir " + folder_ + " " + line);
  }
  std::string Quic() const { return " --token a.b.c --quic " + signalling_.target(); }

  FakeQuicSignalling signalling_;
  const std::string folder_;
};

TEST_F(SignalOverQuicTest, JoinShowsTheKeyAndWhatItTook) {
  sig::JoinResponse response;
  response.mutable_leg()->set_leg_id("alice");
  response.mutable_local_key()->set_suite(v1::CRYPTO_SUITE_AEAD_AES_128_GCM);
  response.mutable_local_key()->set_master_key_and_salt("abc");
  signalling_.AnswerJoin(response);
  EXPECT_EQ(Run("signal join --rtcp-mux --offer AEAD_AES_128_GCM:inline:YWJk" + Quic()), kOk)
      << err();
  EXPECT_THAT(signalling_.Requests(),
              ElementsAre("Join a.b.c: config { rtcp_mux: true } offered_keys { suite: "
                          "CRYPTO_SUITE_AEAD_AES_128_GCM master_key_and_salt: \"abd\" }"));
  EXPECT_THAT(out(), AllOf(HasSubstr("AEAD_AES_128_GCM:inline:YWJj"),
                           HasSubstr("over QUIC (sluice/1, TLS 1.3, v1): 2 round trips, ")));
}

TEST_F(SignalOverQuicTest, ScriptsGetTheMessageAlone) {
  EXPECT_EQ(Run("signal ping --output=json" + Quic()), kOk) << err();
  EXPECT_THAT(out(), MatchesRegex("\\{[^\n]*\\}\n"));
}

TEST_F(SignalOverQuicTest, OtherCommandsGoTheSameWay) {
  EXPECT_EQ(Run("signal update --hold" + Quic()), kOk) << err();
  EXPECT_THAT(out(), HasSubstr("updated"));
  EXPECT_EQ(Run("signal ping" + Quic()), kOk) << err();
  EXPECT_THAT(out(), StartsWith("the gateway answers; its clock: 2023-11-14T22:13:20Z\n"));
  EXPECT_EQ(Run("signal leave" + Quic()), kOk) << err();
  EXPECT_THAT(out(), StartsWith("left; "));
  EXPECT_EQ(Run("signal leave --token x.y.z --target quic://" + signalling_.target()), kOk)
      << err();
  EXPECT_THAT(signalling_.Requests(),
              ElementsAre("UpdateLeg a.b.c: config { hold: true } update_mask { paths: \"hold\" }",
                          "Ping a.b.c: ", "Leave a.b.c: ", "Leave x.y.z: "));
}

TEST_F(SignalOverQuicTest, TheFlagBeatsTheEnvironment) {
  setenv("SLUICE_SIGNALLING", "127.0.0.1:1", 1);
  EXPECT_EQ(Run("signal leave" + Quic()), kOk) << err();
  setenv("SLUICE_SIGNALLING", ("quic://" + signalling_.target()).c_str(), 1);
  EXPECT_EQ(Run("signal leave --token t"), kOk) << err();
  unsetenv("SLUICE_SIGNALLING");
  EXPECT_EQ(Run("signal leave --token t"), kUsage);
  EXPECT_THAT(err(), HasSubstr("--target or --quic"));
}

TEST_F(SignalOverQuicTest, EventsAreShownUntilTheStreamEnds) {
  sig::WatchEventsResponse header, event;
  header.set_instance_id("abc");
  header.set_latest_sequence(18);
  event.mutable_event()->set_sequence(19);
  event.mutable_event()->set_session_id("call-1");
  event.mutable_event()->mutable_session_ended();
  signalling_.Stream({header, event});
  EXPECT_EQ(Run("signal events --after 3 --instance abc" + Quic()), kOk) << err();
  EXPECT_THAT(out(), AllOf(StartsWith("# gateway instance abc, newest event 18\n"),
                           HasSubstr("session_ended")));
}

TEST_F(SignalOverQuicTest, ARefusalIsOneLineWithItsDetails) {
  google::rpc::Status status;
  status.set_code(3);
  status.set_message("bad request");
  google::rpc::BadRequest details;
  details.add_field_violations()->set_field("config.remote.rtp.ip");
  status.add_details()->PackFrom(details);
  signalling_.Fail(status);
  EXPECT_EQ(Run("signal leave" + Quic()), kFailed);
  EXPECT_THAT(err(), StartsWith("sluicectl: INVALID_ARGUMENT: bad request; config.remote.rtp.ip"));
  EXPECT_THAT(err(), HasSubstr("(--remote ADDRESS:PORT)"));
  EXPECT_EQ(Run("signal events" + Quic()), kFailed);
  EXPECT_THAT(err(), StartsWith("sluicectl: INVALID_ARGUMENT: bad request"));
}

TEST_F(SignalOverQuicTest, AGatewayThatIsNotBelievedIsToldWhy) {
  EXPECT_EQ(Run("signal leave --server-name other.example" + Quic()), kFailed);
  EXPECT_THAT(err(), AllOf(StartsWith("sluicectl: FAILED_PRECONDITION: "),
                           HasSubstr("is not for the name that was asked for")));
  EXPECT_EQ(Run("--insecure signal leave" + Quic()), kOk) << err();
}

TEST_F(SignalOverQuicTest, NobodyThereIsToldSoon) {
  EXPECT_EQ(Run("--timeout 200ms signal leave --token t --quic 127.0.0.1:9"), kFailed);
  EXPECT_THAT(err(), AllOf(StartsWith("sluicectl: DEADLINE_EXCEEDED: "),
                           HasSubstr("waited 200 ms for the connection to 127.0.0.1:9")));
}

}  // namespace
}  // namespace sluice

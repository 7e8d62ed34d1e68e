// A participant that manages its own leg with a token, over QUIC.

#include <signal.h>
#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/calls/rpc_client_connection.h"
#include "quic/client/ticket_store.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/gateway_process.h"
#include "tests/e2e/own_srtp_peer.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/quic_participant.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Code = absl::StatusCode;

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

class QuicSignallingTest : public GatewayFixture {
 protected:
  void SetUp() override {
    const absl::Status made = MakeCertificates(certificates_.path());
    ASSERT_TRUE(made.ok()) << made;
    options().tls_dir = certificates_.path();
    if (options().quic_listen.empty()) {
      options().quic_listen = "127.0.0.1:0";
    }
    GatewayFixture::SetUp();
    ASSERT_FALSE(gateway().quic_address().empty()) << gateway().Log();
    control().CreateSession("call");
  }

  pb::CreateParticipantTokenResponse CreateToken(absl::string_view leg) {
    return control().CreateParticipantToken("call", leg);
  }
  std::string Trusted() { return ReadFileOrEmpty(certificates_.File("ca.crt")); }
  std::unique_ptr<QuicParticipant> Participant() {
    return std::make_unique<QuicParticipant>(gateway().quic_address(), Trusted());
  }

  ScratchFolder certificates_;
};

TEST_F(QuicSignallingTest, AParticipantJoinsTalksAndLeaves) {
  const std::string token = CreateToken("alice").token();
  PlainPeer bob;
  bob.Join(control(), "call", "bob");
  OwnSrtpPeer alice({.suite = pb::CRYPTO_SUITE_AEAD_AES_256_GCM});
  const auto participant = Participant();
  ASSERT_EQ(participant->Join(token, alice), absl::OkStatus());

  // Nothing lies between the answer and the first packets.
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1000, 20));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1000, 20));

  sig::LeaveResponse left;
  ASSERT_EQ(participant->Leave(token, left), absl::OkStatus());
  EXPECT_EQ(left.final_stats().leg_id(), "alice");
  const pb::Session session = control().GetSession("call");
  ASSERT_EQ(session.legs_size(), 1);
  EXPECT_EQ(session.legs(0).leg_id(), "bob");
  // And may come again, with new keys.
  OwnSrtpPeer again({.key_number = 2});
  ASSERT_EQ(participant->Join(token, again), absl::OkStatus());
  ExpectRtpArrives(again, bob, RtpRun(kAliceSsrc, 3000, 5));
}

TEST_F(QuicSignallingTest, TwoParticipantsTalkAndReachOnlyTheirOwnLegs) {
  const std::string alice_token = CreateToken("alice").token();
  const std::string bob_token = CreateToken("bob").token();
  OwnSrtpPeer alice({.key_number = 1});
  OwnSrtpPeer bob({.suite = pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, .key_number = 2});
  const auto first = Participant();
  const auto second = Participant();
  ASSERT_EQ(first->Join(alice_token, alice), absl::OkStatus());
  sig::LeaveResponse left;
  EXPECT_EQ(second->Leave(bob_token, left).code(), Code::kNotFound);
  ASSERT_EQ(second->Join(bob_token, bob), absl::OkStatus());
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1000, 5));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1000, 5));
}

TEST_F(QuicSignallingTest, ARevokedTokenDoesNothingMoreAndIsNowhereInTheLog) {
  const pb::CreateParticipantTokenResponse created = CreateToken("alice");
  OwnSrtpPeer alice({});
  const auto participant = Participant();
  ASSERT_EQ(participant->Join(created.token(), alice), absl::OkStatus());
  const auto events = participant->WatchEvents(created.token());
  sig::WatchEventsResponse first;
  ASSERT_TRUE(ReadEvent(*events, first)) << events->status();
  pb::RevokeParticipantTokenRequest revoke;
  revoke.set_token_id(created.token_id());
  pb::RevokeParticipantTokenResponse revoked;
  ASSERT_TRUE(control().Call(&ControlClient::Stub::RevokeParticipantToken, revoke, &revoked).ok());
  sig::LeaveResponse left;
  const absl::Status status = participant->Leave(created.token(), left);
  EXPECT_EQ(status.code(), Code::kUnauthenticated);
  EXPECT_EQ(status.message(), "token: revoked");
  EXPECT_EQ(control().GetSession("call").legs_size(), 1) << "the leg is the controller's to end";
  while (ReadEvent(*events, first)) {
  }
  EXPECT_EQ(events->status().code(), Code::kUnauthenticated);
  EXPECT_THAT(gateway().Log(), HasSubstr("participants refused reason=revoked times=1"));
  EXPECT_THAT(gateway().Log(), Not(HasSubstr(created.token())));
}

TEST_F(QuicSignallingTest, AStrangerIsRefused) {
  const auto participant = Participant();
  EXPECT_EQ(participant->Ping("").code(), Code::kUnauthenticated);
  EXPECT_EQ(participant->Ping("nonsense").message(), "token: malformed");
  sig::LeaveResponse left;
  EXPECT_EQ(participant->Call("Delete", "nonsense", sig::LeaveRequest(), left).code(),
            Code::kUnimplemented);
  EXPECT_EQ(control().GetSession("call").legs_size(), 0);
}

TEST_F(QuicSignallingTest, EventsOfTheLegComeUntilTheSessionEnds) {
  const std::string token = CreateToken("alice").token();
  const auto participant = Participant();
  const auto events = participant->WatchEvents(token);
  sig::WatchEventsResponse response;
  ASSERT_TRUE(ReadEvent(*events, response)) << events->status();
  EXPECT_FALSE(response.instance_id().empty());
  EXPECT_FALSE(response.has_event());
  OwnSrtpPeer alice({});
  ASSERT_EQ(participant->Join(token, alice), absl::OkStatus());
  response.Clear();
  ASSERT_TRUE(ReadEvent(*events, response)) << events->status();
  EXPECT_TRUE(response.event().has_leg_added()) << response.DebugString();
  EXPECT_EQ(response.event().leg_id(), "alice");
  control().DeleteSession("call");
  bool ended = false;
  while (ReadEvent(*events, response)) {
    ended = response.event().has_session_ended();
  }
  EXPECT_TRUE(ended) << "the last one tells of the end";
  EXPECT_EQ(events->status(), absl::OkStatus());
}

TEST_F(QuicSignallingTest, GetNodeTellsOfConnectionsAndCalls) {
  const auto participant = Participant();
  const std::string token = CreateToken("alice").token();
  ASSERT_EQ(participant->Ping(token), absl::OkStatus());
  EXPECT_FALSE(participant->Ping("nonsense").ok());
  const pb::Node node = control().GetNode();
  EXPECT_EQ(node.quic().address(), gateway().quic_address());
  EXPECT_EQ(node.quic().connections(), 1u);
  EXPECT_EQ(LimitOf(node, "quic_connections").used(), 1u);
  ASSERT_EQ(node.quic().protocols_size(), 2);
  const pb::QuicProtocolStatus& rpc = node.quic().protocols(0);
  EXPECT_EQ(rpc.name(), "sluice/1");
  EXPECT_EQ(rpc.connections(), 1u);
  ASSERT_EQ(rpc.calls_size(), 2);
  EXPECT_EQ(rpc.calls(0).name(), "ok");
  EXPECT_EQ(rpc.calls(1).name(), "refused");
  EXPECT_EQ(node.quic().protocols(1).name(), "h3");
}

TEST_F(QuicSignallingTest, ARenewedCertificateIsTakenAtAHangup) {
  const std::string token = CreateToken("alice").token();
  const auto before = Participant();
  ASSERT_EQ(before->Ping(token), absl::OkStatus());
  // From another authority, so that it shows which one is in use.
  const std::string old_authority = Trusted();
  ScratchFolder others;
  const absl::Status made = MakeCertificates(others.path());
  ASSERT_TRUE(made.ok()) << made;
  for (const char* file : {"server.crt", "server.key"}) {
    certificates_.Write(file, ReadFileOrEmpty(others.File(file)));
  }
  gateway().Signal(SIGHUP);
  const Deadline deadline = Deadline::Generous();
  while (control().GetNode().quic().certificates_replaced() == 0 && !deadline.passed()) {
  }
  QuicParticipant after(gateway().quic_address(), ReadFileOrEmpty(others.File("ca.crt")));
  EXPECT_EQ(after.Ping(token), absl::OkStatus());
  QuicParticipant distrusting(gateway().quic_address(), old_authority);
  EXPECT_EQ(distrusting.Ping(token).code(), Code::kFailedPrecondition);
  EXPECT_EQ(before->Ping(token), absl::OkStatus()) << "those who are here stay";
  EXPECT_THAT(gateway().Log(), HasSubstr("certificate of QUIC replaced"));
}

TEST_F(QuicSignallingTest, ACertificateThatCannotBeUsedIsToldOnceAndTheOldOneStays) {
  const std::string token = CreateToken("alice").token();
  certificates_.Write("server.crt", "half a file");
  gateway().Signal(SIGHUP);
  const Deadline deadline = Deadline::Generous();
  while (control().GetNode().quic().certificates_refused() == 0 && !deadline.passed()) {
  }
  EXPECT_EQ(control().GetNode().quic().certificates_replaced(), 0u);
  EXPECT_EQ(Participant()->Ping(token), absl::OkStatus());
  constexpr absl::string_view kLine = "certificate of QUIC not replaced";
  const std::string log = gateway().Log();
  EXPECT_THAT(log, HasSubstr(kLine));
  EXPECT_EQ(log.find(kLine), log.rfind(kLine)) << log;
}

TEST_F(QuicSignallingTest, AStopTellsThoseWhoAreHere) {
  const std::string token = CreateToken("alice").token();
  const auto participant = Participant();
  const auto events = participant->WatchEvents(token);
  sig::WatchEventsResponse response;
  ASSERT_TRUE(ReadEvent(*events, response)) << events->status();
  gateway().Signal(SIGTERM);
  while (ReadEvent(*events, response)) {
  }
  EXPECT_EQ(events->status().code(), Code::kUnavailable);
  EXPECT_EQ(gateway().Wait(Deadline::Generous()), 0) << gateway().Log();
  EXPECT_EQ(participant->Ping(token).code(), Code::kUnavailable);
}

// Where it listens, and where clients find it there.
struct Place {
  const char* name;
  const char* listen;
  const char* host;
};

class QuicAddressTest : public QuicSignallingTest, public ::testing::WithParamInterface<Place> {
 protected:
  QuicAddressTest() { options().quic_listen = absl::StrCat(GetParam().listen, ":0"); }
};

TEST_P(QuicAddressTest, ServesAtAddressesOfBothFamiliesAndAtAllOfOne) {
  const std::string& bound = gateway().quic_address();
  EXPECT_THAT(bound, StartsWith(GetParam().listen));
  QuicParticipant participant(absl::StrCat(GetParam().host, bound.substr(bound.rfind(':'))),
                              Trusted());
  EXPECT_EQ(participant.Ping(CreateToken("alice").token()), absl::OkStatus());
}

INSTANTIATE_TEST_SUITE_P(Places, QuicAddressTest,
                         ::testing::Values(Place{"Ipv6", "[::1]", "[::1]"},
                                           Place{"AllOfIpv4", "0.0.0.0", "127.0.0.1"},
                                           Place{"AllOfIpv6", "[::]", "[::1]"}),
                         [](const auto& test) { return test.param.name; });

class QuicRestartTest : public QuicSignallingTest {
 protected:
  void SetUp() override {
    const std::string secret = secret_.Write("secret", std::string(64, 'c'));
    ASSERT_EQ(chmod(secret.c_str(), 0600), 0);
    options().flags = {absl::StrCat("--quic-secret-file=", secret)};
    QuicSignallingTest::SetUp();
  }
  ScratchFolder secret_;
};

TEST_F(QuicRestartTest, ClientsNoticeARestartAtOnce) {
  const std::string token = CreateToken("alice").token();
  const auto participant = Participant();
  ASSERT_EQ(participant->Ping(token), absl::OkStatus());
  // Gone without a word, and another one at the same address.
  gateway().Signal(SIGKILL);
  ASSERT_TRUE(gateway().Wait(Deadline::Generous()).has_value());
  options().quic_listen = gateway().quic_address();
  Restart();
  // The client does not wait until it was silent for too long: a stateless reset says it.
  const absl::Status status = participant->Ping(token);
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("it was started anew"));
  const auto again = Participant();
  EXPECT_EQ(again->Ping(token).message(), "token: bad_signature") << "keys of tokens are new";
}

class QuicRetryTest : public QuicSignallingTest {
 protected:
  QuicRetryTest() { options().flags = {"--quic-retry=always"}; }
};

TEST_F(QuicRetryTest, EverybodyShowsItsAddressWhereThatIsWanted) {
  const auto participant = Participant();
  EXPECT_EQ(participant->Ping(CreateToken("alice").token()), absl::OkStatus());
  EXPECT_EQ(participant->client().report().retries, 1u);
}

// What somebody who records packets could send again.
class QuicEarlyDataTest : public QuicSignallingTest {
 protected:
  // Comes for the first time, and is given what it takes to say something early the next time.
  void Come(const std::string& token) {
    QuicParticipant first(gateway().quic_address(), Trusted(), &tickets_);
    ASSERT_EQ(first.Ping(token), absl::OkStatus());
    // Tickets may come behind the answer.
    ASSERT_EQ(first.Ping(token), absl::OkStatus());
  }
  // Comes again with this first call, said early.
  template <typename Request, typename Response>
  absl::Status ComeAgain(absl::string_view method, const std::string& token, bool& accepted) {
    QuicParticipant again(gateway().quic_address(), Trusted(), &tickets_);
    Response response;
    const absl::Status status =
        again.Call(method, token, Request(), response, RpcReplay::kHarmless);
    // So that the report is newer than the handshake.
    EXPECT_EQ(again.Ping(token), absl::OkStatus());
    EXPECT_TRUE(again.client().report().resumed);
    accepted = again.client().report().early_data_accepted;
    return status;
  }
  TicketStore tickets_;
};

class QuicEarlyDataOnTest : public QuicEarlyDataTest {
 protected:
  QuicEarlyDataOnTest() { options().flags = {"--quic-early-data"}; }
};

TEST_F(QuicEarlyDataTest, NothingIsTakenEarlyUnlessThatIsWanted) {
  const std::string token = CreateToken("alice").token();
  ASSERT_NO_FATAL_FAILURE(Come(token));
  bool accepted = true;
  EXPECT_EQ((ComeAgain<sig::LeaveRequest, sig::LeaveResponse>("Leave", token, accepted)).code(),
            Code::kNotFound)
      << "made once, later";
  EXPECT_FALSE(accepted);
}

TEST_F(QuicEarlyDataOnTest, APingIsAnsweredAndWhatChangesALegIsNotMade) {
  const std::string token = CreateToken("alice").token();
  ASSERT_NO_FATAL_FAILURE(Come(token));
  bool accepted = false;
  EXPECT_EQ((ComeAgain<sig::JoinRequest, sig::JoinResponse>("Join", token, accepted)).code(),
            Code::kUnavailable);
  EXPECT_TRUE(accepted) << "it came early";
  EXPECT_EQ(control().GetSession("call").legs_size(), 0);
  EXPECT_EQ((ComeAgain<sig::PingRequest, sig::PingResponse>("Ping", token, accepted)),
            absl::OkStatus());
  EXPECT_TRUE(accepted);
}

class QuicKeyLogTest : public QuicSignallingTest {
 protected:
  QuicKeyLogTest() { options().flags = {absl::StrCat("--quic-key-log=", folder_.File("keys"))}; }
  ScratchFolder folder_;
};

TEST_F(QuicKeyLogTest, KeysAreWrittenWhereItIsAskedForAndThatIsSaid) {
  const auto participant = Participant();
  EXPECT_EQ(participant->Ping(CreateToken("alice").token()), absl::OkStatus());
  EXPECT_THAT(ReadFileOrEmpty(folder_.File("keys")), HasSubstr("CLIENT_TRAFFIC_SECRET_0 "));
  EXPECT_THAT(gateway().Log(), HasSubstr("warning: keys of QUIC are written to"));
}

}  // namespace
}  // namespace sluice

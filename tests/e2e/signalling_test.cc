// A participant that manages its own leg with a token, over gRPC.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "grpcpp/client_context.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "proto/signalling/v1/signalling_service.grpc.pb.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/own_srtp_peer.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {
namespace {

namespace sig = ::sluice::signalling::v1;
using ::testing::HasSubstr;
using ::testing::Not;
using Code = grpc::StatusCode;
using Stub = sig::SignallingService::Stub;

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

// Participants come over TLS and show no certificate.
class SignallingTest : public GatewayFixture {
 protected:
  void SetUp() override {
    const absl::Status made = MakeCertificates(certificates_.path());
    ASSERT_TRUE(made.ok()) << made;
    options().tls_dir = certificates_.path();
    options().signalling = true;
    GatewayFixture::SetUp();
    ASSERT_FALSE(gateway().signalling_address().empty()) << gateway().Log();
    grpc::SslCredentialsOptions trusting;
    trusting.pem_root_certs = ReadFileOrEmpty(certificates_.File("ca.crt"));
    stub_ = sig::SignallingService::NewStub(
        OpenChannel(gateway().signalling_address(), grpc::SslCredentials(trusting)));
    control().CreateSession("call");
  }

  void TearDown() override {
    // The gateway waits some seconds for its clients to hang up.
    stub_.reset();
    GatewayFixture::TearDown();
  }

  pb::CreateParticipantTokenResponse CreateToken(absl::string_view leg) {
    return control().CreateParticipantToken("call", leg);
  }
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const std::string& token, const Request& request, Response& response) {
    grpc::ClientContext context;
    context.set_deadline(Deadline::Generous().ForGrpc());
    context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
    return (stub_.get()->*method)(&context, request, &response);
  }
  // What a participant says of the peer: its address, and its key as an offer behind one that the
  // gateway does not know.
  static sig::JoinRequest JoinOf(const OwnSrtpPeer& peer) {
    sig::JoinRequest request;
    *request.mutable_config() = peer.Config();
    request.mutable_config()->clear_remote_key();
    request.mutable_config()->clear_kind();
    pb::SrtpKey& unknown = *request.add_offered_keys();
    unknown.set_suite(static_cast<pb::CryptoSuite>(99));
    unknown.set_master_key_and_salt("of another kind");
    *request.add_offered_keys() = peer.key();
    return request;
  }
  void Join(OwnSrtpPeer& peer, const std::string& token) {
    sig::JoinResponse joined;
    const grpc::Status status = Call(&Stub::Join, token, JoinOf(peer), joined);
    ASSERT_TRUE(status.ok()) << status.error_message();
    pb::AddLegResponse answer;
    *answer.mutable_leg() = joined.leg();
    *answer.mutable_local_key() = joined.local_key();
    peer.Connect(answer);
  }

  ScratchFolder certificates_;
  std::unique_ptr<Stub> stub_;
};

TEST_F(SignallingTest, AParticipantJoinsTalksAndLeaves) {
  const std::string token = CreateToken("alice").token();
  PlainPeer bob;
  bob.Join(control(), "call", "bob");
  OwnSrtpPeer alice({.suite = pb::CRYPTO_SUITE_AEAD_AES_256_GCM});
  ASSERT_NO_FATAL_FAILURE(Join(alice, token));

  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1000, 20));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1000, 20));

  sig::LeaveResponse left;
  const grpc::Status status = Call(&Stub::Leave, token, sig::LeaveRequest(), left);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(left.final_stats().leg_id(), "alice");
  const pb::Session session = control().GetSession("call");
  ASSERT_EQ(session.legs_size(), 1);
  EXPECT_EQ(session.legs(0).leg_id(), "bob");
  // And may come again, with new keys.
  OwnSrtpPeer again({.key_number = 2});
  ASSERT_NO_FATAL_FAILURE(Join(again, token));
  ExpectRtpArrives(again, bob, RtpRun(kAliceSsrc, 3000, 5));
}

TEST_F(SignallingTest, TwoParticipantsTalkAndReachOnlyTheirOwnLegs) {
  const std::string alice_token = CreateToken("alice").token();
  const std::string bob_token = CreateToken("bob").token();
  OwnSrtpPeer alice({.key_number = 1});
  OwnSrtpPeer bob({.suite = pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, .key_number = 2});
  ASSERT_NO_FATAL_FAILURE(Join(alice, alice_token));
  sig::LeaveResponse left;
  EXPECT_EQ(Call(&Stub::Leave, bob_token, sig::LeaveRequest(), left).error_code(), Code::NOT_FOUND);
  ASSERT_NO_FATAL_FAILURE(Join(bob, bob_token));
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1000, 5));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1000, 5));
}

TEST_F(SignallingTest, ARevokedTokenDoesNothingMoreAndIsNowhereInTheLog) {
  const pb::CreateParticipantTokenResponse created = CreateToken("alice");
  OwnSrtpPeer alice({});
  ASSERT_NO_FATAL_FAILURE(Join(alice, created.token()));
  pb::RevokeParticipantTokenRequest revoke;
  revoke.set_token_id(created.token_id());
  pb::RevokeParticipantTokenResponse revoked;
  ASSERT_TRUE(control().Call(&ControlClient::Stub::RevokeParticipantToken, revoke, &revoked).ok());
  sig::LeaveResponse left;
  const grpc::Status status = Call(&Stub::Leave, created.token(), sig::LeaveRequest(), left);
  EXPECT_EQ(status.error_code(), Code::UNAUTHENTICATED);
  EXPECT_EQ(status.error_message(), "token: revoked");
  EXPECT_EQ(control().GetSession("call").legs_size(), 1) << "the leg is the controller's to end";
  EXPECT_THAT(gateway().Log(), HasSubstr("participants refused reason=revoked times=1"));
  EXPECT_THAT(gateway().Log(), Not(HasSubstr(created.token())));
}

TEST_F(SignallingTest, AStrangerIsRefused) {
  sig::JoinResponse joined;
  EXPECT_EQ(Call(&Stub::Join, "nonsense", sig::JoinRequest(), joined).error_message(),
            "token: malformed");
  // Signed by another gateway, or by this one before it was started again.
  const std::string foreign =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
      "eyJpc3MiOiJzbHVpY2UifQ.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  EXPECT_EQ(Call(&Stub::Join, foreign, sig::JoinRequest(), joined).error_message(),
            "token: bad_signature");
  EXPECT_EQ(control().GetSession("call").legs_size(), 0);
}

}  // namespace
}  // namespace sluice

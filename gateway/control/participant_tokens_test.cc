#include "gateway/control/participant_tokens.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/tokens/participant_claims.h"
#include "gateway/tokens/participant_rights.h"
#include "gateway/tokens/token_id.h"
#include "gateway/tokens/token_verdict.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
namespace pb = ::sluice::gateway::v1;
using Service = GatewayService;
using Code = grpc::StatusCode;

class ParticipantTokensTest : public ::testing::Test {
 protected:
  ParticipantTokensTest() {
    EXPECT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'call'").ok());
  }

  grpc::Status Create(const std::string& fields) {
    return harness_.Call(&Service::CreateParticipantToken, fields, response_);
  }
  grpc::Status Revoke(const std::string& token_id) {
    return harness_.Call(&Service::RevokeParticipantToken,
                         absl::StrCat("token_id: '", token_id, "'"));
  }
  TokenVerdict Verify() {
    return harness_.tokens().Verify(response_.token(), harness_.now(), claims_);
  }

  ControlHarness harness_;
  pb::CreateParticipantTokenResponse response_;
  ParticipantClaims claims_;
};

TEST_F(ParticipantTokensTest, ATokenSaysWhatWasAskedFor) {
  ASSERT_TRUE(Create("session_id: 'call' leg_id: 'alice' lifetime { seconds: 90 } "
                     "rights: PARTICIPANT_RIGHT_JOIN rights: PARTICIPANT_RIGHT_EVENTS")
                  .ok());
  ASSERT_EQ(Verify(), TokenVerdict::kOk);
  EXPECT_EQ(claims_.session_id, "call");
  EXPECT_EQ(claims_.leg_id, "alice");
  ParticipantRights rights;
  rights.Add(ParticipantRight::kJoin);
  rights.Add(ParticipantRight::kEvents);
  EXPECT_EQ(claims_.rights, rights);
  EXPECT_EQ(claims_.id.ToString(), response_.token_id());
  EXPECT_EQ(claims_.expires, harness_.now() + absl::Seconds(90));
  EXPECT_EQ(response_.expire_time().seconds(), absl::ToUnixSeconds(claims_.expires));
}

TEST_F(ParticipantTokensTest, ByDefaultItAllowsEverythingForAnHour) {
  ASSERT_TRUE(Create("session_id: 'call' leg_id: 'alice'").ok());
  ASSERT_EQ(Verify(), TokenVerdict::kOk);
  EXPECT_EQ(claims_.rights, ParticipantRights::All());
  EXPECT_EQ(claims_.expires - claims_.issued, absl::Hours(1));
}

TEST_F(ParticipantTokensTest, ATokenIsValidAtOnceAlsoWithinASecond) {
  harness_.Advance(absl::Milliseconds(999));
  ASSERT_TRUE(Create("session_id: 'call' leg_id: 'alice'").ok());
  EXPECT_EQ(Verify(), TokenVerdict::kOk);
}

TEST_F(ParticipantTokensTest, EveryTokenHasAnIdOfItsOwn) {
  ASSERT_TRUE(Create("session_id: 'call' leg_id: 'alice'").ok());
  const std::string first = response_.token_id();
  ASSERT_TRUE(Create("session_id: 'call' leg_id: 'alice'").ok());
  EXPECT_NE(response_.token_id(), first);
}

TEST_F(ParticipantTokensTest, EverythingThatIsWrongIsNamed) {
  const grpc::Status status =
      Create("session_id: 'a/b' rights: 2 rights: 99 lifetime { seconds: 9 }");
  EXPECT_EQ(status.error_code(), Code::INVALID_ARGUMENT);
  EXPECT_THAT(BadFields(status),
              UnorderedElementsAre("session_id", "leg_id", "rights[1]", "lifetime"));
  for (const char* lifetime : {"seconds: 86401", "seconds: 9 nanos: 999999999", "seconds: -20"}) {
    EXPECT_THAT(BadFields(Create(absl::StrCat("session_id: 'call' leg_id: 'alice' lifetime { ",
                                              lifetime, " }"))),
                ElementsAre("lifetime"));
  }
  EXPECT_TRUE(Create("session_id: 'call' leg_id: 'alice' lifetime { seconds: 86400 }").ok());
  EXPECT_TRUE(Create("session_id: 'call' leg_id: 'alice' lifetime { seconds: 10 }").ok());
}

TEST_F(ParticipantTokensTest, ThereAreNoTokensForSessionsThatAreNotLive) {
  EXPECT_EQ(Create("session_id: 'other' leg_id: 'alice'").error_code(), Code::NOT_FOUND);
  EXPECT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
  EXPECT_EQ(Create("session_id: 'call' leg_id: 'alice'").error_code(), Code::NOT_FOUND);
}

TEST_F(ParticipantTokensTest, RevokedIsRevokedHoweverOften) {
  ASSERT_TRUE(Create("session_id: 'call' leg_id: 'alice'").ok());
  EXPECT_TRUE(Revoke(response_.token_id()).ok());
  EXPECT_TRUE(Revoke(response_.token_id()).ok());
  EXPECT_EQ(Verify(), TokenVerdict::kRevoked);
}

TEST_F(ParticipantTokensTest, AnIdThatNoTokenHasIsTakenAndOneThatNoneCanHaveIsNot) {
  EXPECT_TRUE(Revoke(std::string(32, '0')).ok());
  for (const std::string& wrong : {std::string(), std::string(31, '0'), std::string(32, 'F')}) {
    const grpc::Status status = Revoke(wrong);
    EXPECT_EQ(status.error_code(), Code::INVALID_ARGUMENT) << wrong;
    EXPECT_THAT(BadFields(status), ElementsAre("token_id"));
  }
}

TEST_F(ParticipantTokensTest, MoreRevocationsThanThereIsRoomForAreRefusedAndCounted) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(Revoke(std::string(32, static_cast<char>('1' + i))).ok());
  }
  const grpc::Status status = Revoke(std::string(32, 'a'));
  EXPECT_EQ(ReachedLimit(status), "revoked_tokens");
  pb::GetNodeResponse node;
  ASSERT_TRUE(harness_.Call(&Service::GetNode, "", node).ok());
  for (const pb::LimitUsage& limit : node.node().limits()) {
    if (limit.name() == "revoked_tokens") {
      EXPECT_EQ(limit.limit(), 4u);
      EXPECT_EQ(limit.used(), 4u);
      EXPECT_EQ(limit.refused(), 1u);
    }
  }
  harness_.Advance(kMaxTokenLifetime);
  EXPECT_TRUE(Revoke(std::string(32, 'a')).ok()) << "what has expired makes room";
}

}  // namespace
}  // namespace sluice

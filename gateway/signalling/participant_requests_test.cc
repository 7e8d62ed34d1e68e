#include "gateway/signalling/participant_requests.h"

#include <google/protobuf/text_format.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ParticipantClaims Claims() {
  ParticipantClaims claims;
  claims.session_id = "call";
  claims.leg_id = "alice";
  return claims;
}

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

class ParticipantRequestsTest : public ::testing::Test {
 protected:
  pb::AddLegRequest Join(const std::string& text) {
    violations_ = FieldViolations();
    return ToAddLeg(Claims(), Parse<signalling::v1::JoinRequest>(text), violations_);
  }
  pb::UpdateLegRequest Update(const std::string& text) {
    violations_ = FieldViolations();
    return ToUpdateLeg(Claims(), Parse<signalling::v1::UpdateLegRequest>(text), violations_);
  }
  std::vector<std::string> Fields() { return BadFields(ToGrpcStatus(violations_.ToStatus())); }

  FieldViolations violations_;
};

TEST_F(ParticipantRequestsTest, TheIdsAreThoseOfTheTokenAndTheLegIsSrtp) {
  const pb::AddLegRequest add = Join("config { rtcp_mux: true hold: true }");
  EXPECT_EQ(add.session_id(), "call");
  EXPECT_EQ(add.leg_id(), "alice");
  EXPECT_EQ(add.config().kind(), pb::LEG_KIND_SRTP);
  EXPECT_TRUE(add.config().rtcp_mux());
  EXPECT_TRUE(add.config().hold());
  EXPECT_FALSE(add.config().has_remote_key());
  EXPECT_TRUE(violations_.empty());
  const pb::RemoveLegRequest remove = ToRemoveLeg(Claims());
  EXPECT_EQ(remove.session_id(), "call");
  EXPECT_EQ(remove.leg_id(), "alice");
}

TEST_F(ParticipantRequestsTest, TheFirstKeyOfASuiteThatIsKnownIsChosen) {
  const pb::AddLegRequest add = Join(
      "offered_keys { suite: 99 master_key_and_salt: 'a' } "
      "offered_keys { suite: CRYPTO_SUITE_UNSPECIFIED master_key_and_salt: 'b' } "
      "offered_keys { suite: CRYPTO_SUITE_NULL_HMAC_SHA1_80 master_key_and_salt: 'c' } "
      "offered_keys { suite: CRYPTO_SUITE_AEAD_AES_256_GCM master_key_and_salt: 'd' mki: 'm' } "
      "offered_keys { suite: CRYPTO_SUITE_AEAD_AES_128_GCM master_key_and_salt: 'e' }");
  EXPECT_TRUE(violations_.empty());
  EXPECT_EQ(add.config().remote_key().suite(), pb::CRYPTO_SUITE_AEAD_AES_256_GCM);
  EXPECT_EQ(add.config().remote_key().master_key_and_salt(), "d");
  EXPECT_EQ(add.config().remote_key().mki(), "m");
}

TEST_F(ParticipantRequestsTest, EverySuiteThatEncryptsCanBeChosen) {
  const auto* suites = pb::CryptoSuite_descriptor();
  for (int i = 0; i < suites->value_count(); ++i) {
    const auto* suite = suites->value(i);
    const pb::AddLegRequest add = Join(absl::StrCat("offered_keys { suite: ", suite->name(), " }"));
    const bool encrypts = suite->number() != 0 && suite->name().find("NULL") == std::string::npos;
    EXPECT_EQ(add.config().remote_key().suite(), encrypts ? suite->number() : 0);
    EXPECT_EQ(violations_.empty(), encrypts) << suite->name();
  }
}

TEST_F(ParticipantRequestsTest, WhatOnlyAControllerMayAskForIsNamed) {
  Join("config { kind: LEG_KIND_RTP }");
  EXPECT_THAT(Fields(), ElementsAre("config.kind"));
  Join("config { kind: 7 }");
  EXPECT_THAT(Fields(), ElementsAre("config.kind"));
  Join("config { local_suite: CRYPTO_SUITE_NULL_HMAC_SHA1_32 }");
  EXPECT_THAT(Fields(), ElementsAre("config.local_suite"));
  Join("config { remote_key { suite: CRYPTO_SUITE_AEAD_AES_128_GCM } }");
  EXPECT_THAT(Fields(), ElementsAre("config.remote_key"));
  Join("config { interceptors { packet_log: true } }");
  EXPECT_THAT(Fields(), ElementsAre("config.interceptors.packet_log"));
  Join("config { interceptors { packet_log: false } kind: LEG_KIND_SRTP }");
  EXPECT_THAT(Fields(), IsEmpty());
}

TEST_F(ParticipantRequestsTest, AnOfferThatNobodyCanTakeIsRefused) {
  Join("offered_keys { suite: 99 } offered_keys { suite: CRYPTO_SUITE_NULL_HMAC_SHA1_80 }");
  EXPECT_THAT(Fields(), ElementsAre("offered_keys"));
  std::string many;
  for (int i = 0; i <= kMaxOfferedKeys; ++i) {
    absl::StrAppend(&many, "offered_keys { suite: CRYPTO_SUITE_AEAD_AES_128_GCM } ");
  }
  Join(many);
  EXPECT_THAT(Fields(), ElementsAre("offered_keys"));
}

TEST_F(ParticipantRequestsTest, AnUpdateIsPassedOnAsAWhole) {
  const pb::UpdateLegRequest update = Update(
      "config { hold: true } update_mask { paths: 'hold' } "
      "local_key_change: LOCAL_KEY_CHANGE_PREPARE local_mki: 'm' retire_remote_mkis: 'n'");
  EXPECT_TRUE(violations_.empty());
  EXPECT_EQ(update.session_id(), "call");
  EXPECT_EQ(update.leg_id(), "alice");
  EXPECT_TRUE(update.config().hold());
  EXPECT_THAT(update.update_mask().paths(), ElementsAre("hold"));
  EXPECT_EQ(update.local_key_change(), pb::LOCAL_KEY_CHANGE_PREPARE);
  EXPECT_EQ(update.local_mki(), "m");
  EXPECT_THAT(update.retire_remote_mkis(), ElementsAre("n"));
}

TEST_F(ParticipantRequestsTest, AnUpdateBringsNeitherNullSuitesNorPacketLogs) {
  Update("config { remote_key { suite: CRYPTO_SUITE_NULL_HMAC_SHA1_80 } }");
  EXPECT_THAT(Fields(), ElementsAre("config.remote_key.suite"));
  Update("config { interceptors { packet_log: true } }");
  EXPECT_THAT(Fields(), ElementsAre("config.interceptors.packet_log"));
  Update("config { remote_key { suite: CRYPTO_SUITE_AEAD_AES_128_GCM } }");
  EXPECT_THAT(Fields(), IsEmpty());
}

}  // namespace
}  // namespace sluice

#include "gateway/signalling/participant_calls.h"

#include <google/protobuf/text_format.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
namespace sig = ::sluice::signalling::v1;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Service = GatewayService;
using Code = grpc::StatusCode;

// A key of 28 bytes, for AEAD_AES_128_GCM.
constexpr char kOffer[] =
    "offered_keys { suite: CRYPTO_SUITE_AEAD_AES_128_GCM "
    "master_key_and_salt: 'abcdefghijklmnopqrstuvwxyz01' }";

class ParticipantCallsTest : public ::testing::Test {
 protected:
  ParticipantCallsTest() {
    EXPECT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'call'").ok());
  }

  std::string Token(const std::string& leg, const std::string& fields = "") {
    const grpc::Status status =
        harness_.Call(&Service::CreateParticipantToken,
                      absl::StrCat("session_id: 'call' leg_id: '", leg, "' ", fields), created_);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return created_.token();
  }
  ParticipantClaims ClaimsFor(const std::string& leg, const std::string& fields = "") {
    return calls_.Authenticate(Token(leg, fields)).value();
  }
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (ParticipantCalls::*method)(const ParticipantClaims&,
                                                             const Request&, Response&),
                    const ParticipantClaims& claims, const std::string& text, Response& response) {
    Request request;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request)) << text;
    return (calls_.*method)(claims, request, response);
  }
  grpc::Status Join(const ParticipantClaims& claims, const std::string& text = kOffer) {
    return Call(&ParticipantCalls::Join, claims, text, joined_);
  }
  grpc::Status Update(const ParticipantClaims& claims, const std::string& text) {
    sig::UpdateLegResponse response;
    return Call(&ParticipantCalls::UpdateLeg, claims, text, response);
  }
  grpc::Status Leave(const ParticipantClaims& claims) {
    sig::LeaveResponse response;
    return Call(&ParticipantCalls::Leave, claims, "", response);
  }
  // "" for what tells where the stream begins, else as "alice leg_added".
  grpc::Status Watch(const ParticipantClaims& claims, std::vector<std::string>& seen,
                     absl::FunctionRef<bool()> cancelled, const std::string& text = "") {
    sig::WatchEventsRequest request;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request)) << text;
    return calls_.WatchEvents(claims, request, cancelled,
                              [&](const sig::WatchEventsResponse& response) {
                                seen.push_back(Describe(response));
                                return true;
                              });
  }
  static std::string Describe(const sig::WatchEventsResponse& response) {
    if (!response.has_event()) {
      return response.instance_id();
    }
    const pb::Event& event = response.event();
    const auto* kind = event.GetReflection()->GetOneofFieldDescriptor(
        event, event.GetDescriptor()->FindOneofByName("event"));
    return absl::StrCat(event.leg_id(), event.leg_id().empty() ? "" : " ", kind->name());
  }
  uint64_t Refused(ParticipantRefusal refusal) { return calls_.refusals().count(refusal); }

  ControlHarness harness_;
  ParticipantCalls calls_{harness_.service(), harness_.room(), harness_.tokens()};
  pb::CreateParticipantTokenResponse created_;
  sig::JoinResponse joined_;
};

TEST_F(ParticipantCallsTest, AParticipantJoinsUpdatesAndLeaves) {
  const ParticipantClaims alice = ClaimsFor("alice");
  const std::string before = harness_.Footprint();
  ASSERT_TRUE(Join(alice).ok());
  EXPECT_EQ(joined_.leg().leg_id(), "alice");
  EXPECT_EQ(joined_.leg().kind(), pb::LEG_KIND_SRTP);
  EXPECT_EQ(joined_.leg().remote_suite(), pb::CRYPTO_SUITE_AEAD_AES_128_GCM);
  EXPECT_EQ(joined_.local_key().suite(), pb::CRYPTO_SUITE_AEAD_AES_128_GCM);
  EXPECT_EQ(joined_.local_key().master_key_and_salt().size(), 28u);

  sig::UpdateLegResponse updated;
  ASSERT_TRUE(Call(&ParticipantCalls::UpdateLeg, alice,
                   "config { hold: true } update_mask { paths: 'hold' } "
                   "local_key_change: LOCAL_KEY_CHANGE_PREPARE",
                   updated)
                  .ok());
  EXPECT_TRUE(updated.leg().hold());
  EXPECT_EQ(updated.local_key().master_key_and_salt().size(), 28u);

  sig::LeaveResponse left;
  ASSERT_TRUE(Call(&ParticipantCalls::Leave, alice, "", left).ok());
  EXPECT_EQ(left.final_stats().leg_id(), "alice");
  EXPECT_EQ(harness_.Footprint(), before);
}

TEST_F(ParticipantCallsTest, ATokenReachesItsOwnLegOnly) {
  const ParticipantClaims alice = ClaimsFor("alice");
  const ParticipantClaims bob = ClaimsFor("bob");
  ASSERT_TRUE(Join(alice).ok());
  EXPECT_EQ(Leave(bob).error_code(), Code::NOT_FOUND);
  EXPECT_EQ(Update(bob, "update_mask { paths: 'hold' }").error_code(), Code::NOT_FOUND);
  ASSERT_TRUE(Join(bob).ok());
  EXPECT_EQ(joined_.leg().leg_id(), "bob");
  ASSERT_TRUE(Leave(bob).ok());
  pb::GetSessionResponse session;
  ASSERT_TRUE(harness_.Call(&Service::GetSession, "session_id: 'call'", session).ok());
  ASSERT_EQ(session.session().legs_size(), 1);
  EXPECT_EQ(session.session().legs(0).leg_id(), "alice");
}

TEST_F(ParticipantCallsTest, ACallWithoutItsRightIsDenied) {
  const ParticipantClaims nothing = ClaimsFor("alice", "rights: PARTICIPANT_RIGHT_EVENTS");
  const ParticipantClaims no_events = ClaimsFor(
      "alice",
      "rights: [PARTICIPANT_RIGHT_JOIN, PARTICIPANT_RIGHT_UPDATE, PARTICIPANT_RIGHT_LEAVE]");
  ASSERT_TRUE(Join(no_events).ok());
  for (const auto& [status, right] :
       {std::pair(Join(nothing), "join"), std::pair(Update(nothing, ""), "update"),
        std::pair(Leave(nothing), "leave")}) {
    EXPECT_EQ(status.error_code(), Code::PERMISSION_DENIED) << right;
    EXPECT_TRUE(absl::StrContains(status.error_message(), absl::StrCat("\"", right, "\"")))
        << status.error_message();
  }
  std::vector<std::string> seen;
  EXPECT_EQ(Watch(no_events, seen, [] { return false; }).error_code(), Code::PERMISSION_DENIED);
  EXPECT_THAT(seen, IsEmpty());
  EXPECT_EQ(Refused(ParticipantRefusal::kNoRight), 4u);
}

TEST_F(ParticipantCallsTest, TokensThatAreNotToBeBelievedAreCountedByReason) {
  const std::string token = Token("alice", "lifetime { seconds: 10 }");
  EXPECT_TRUE(calls_.Authenticate(token).ok());
  for (const auto& [text, reason] :
       {std::pair<std::optional<std::string>, std::string>(std::nullopt, "missing"),
        {"", "malformed"},
        {"nonsense", "malformed"},
        {token + "x", "malformed"},
        {token.substr(0, token.size() - 1) + (token.back() == 'A' ? "B" : "A"), "bad_signature"}}) {
    const absl::Status status = calls_.Authenticate(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated) << reason;
    EXPECT_EQ(status.message(), "token: " + reason);
  }
  harness_.Advance(-absl::Seconds(1));
  EXPECT_EQ(calls_.Authenticate(token).status().message(), "token: not_yet_valid");
  harness_.Advance(absl::Seconds(11));
  EXPECT_EQ(calls_.Authenticate(token).status().message(), "token: expired");
  EXPECT_EQ(Refused(ParticipantRefusal::kNoToken), 1u);
  EXPECT_EQ(Refused(ParticipantRefusal::kMalformed), 3u);
  EXPECT_EQ(Refused(ParticipantRefusal::kBadSignature), 1u);
  EXPECT_EQ(Refused(ParticipantRefusal::kNotYetValid), 1u);
  EXPECT_EQ(Refused(ParticipantRefusal::kExpired), 1u);
}

TEST_F(ParticipantCallsTest, ARevokedTokenIsRefused) {
  const std::string token = Token("alice");
  ASSERT_TRUE(harness_
                  .Call(&Service::RevokeParticipantToken,
                        absl::StrCat("token_id: '", created_.token_id(), "'"))
                  .ok());
  EXPECT_EQ(calls_.Authenticate(token).status().message(), "token: revoked");
  EXPECT_EQ(Refused(ParticipantRefusal::kRevoked), 1u);
  EXPECT_TRUE(calls_.Authenticate(Token("alice")).ok()) << "a new one is another one";
}

TEST_F(ParticipantCallsTest, WhatIsWrongIsNamedWithTheSamePathsAsOnTheControlApi) {
  const ParticipantClaims alice = ClaimsFor("alice");
  const std::string before = harness_.Footprint();
  EXPECT_THAT(BadFields(Join(alice, "config { remote { rtp { ip: 'x' port: 1 } } }")),
              ElementsAre("config.remote.rtp.ip"));
  EXPECT_THAT(BadFields(Join(alice, "config { interceptors { packet_log: true } }")),
              ElementsAre("config.interceptors.packet_log"));
  EXPECT_THAT(BadFields(Join(alice,
                             "offered_keys { suite: CRYPTO_SUITE_AEAD_AES_128_GCM "
                             "master_key_and_salt: 'short' }")),
              ElementsAre("config.remote_key.master_key_and_salt"));
  EXPECT_EQ(harness_.Footprint(), before);
  EXPECT_EQ(Refused(ParticipantRefusal::kRequest), 3u);
}

TEST_F(ParticipantCallsTest, JoiningTwiceIsRefusedSinceKeysAreToldOnce) {
  const ParticipantClaims alice = ClaimsFor("alice");
  ASSERT_TRUE(Join(alice).ok());
  EXPECT_EQ(Join(alice).error_code(), Code::ALREADY_EXISTS);
}

TEST_F(ParticipantCallsTest, PingReturnsWhatItGotAndTellsTheTime) {
  const ParticipantClaims alice = ClaimsFor("alice", "rights: PARTICIPANT_RIGHT_LEAVE");
  sig::PingResponse pong;
  const std::string payload(64, 'x');
  ASSERT_TRUE(
      Call(&ParticipantCalls::Ping, alice, absl::StrCat("payload: '", payload, "'"), pong).ok());
  EXPECT_EQ(pong.payload(), payload);
  EXPECT_EQ(pong.server_time().seconds(), absl::ToUnixSeconds(harness_.now()));
  EXPECT_THAT(BadFields(Call(&ParticipantCalls::Ping, alice,
                             absl::StrCat("payload: '", payload, "x'"), pong)),
              ElementsAre("payload"));
}

TEST_F(ParticipantCallsTest, AWatcherSeesItsOwnLegAndTheEndOfItsSessionAndNothingElse) {
  const ParticipantClaims alice = ClaimsFor("alice");
  ASSERT_TRUE(Join(alice).ok());
  ASSERT_TRUE(Join(ClaimsFor("bob")).ok());
  ASSERT_TRUE(harness_.Call(&Service::CreateSession, "session_id: 'other'").ok());
  ASSERT_TRUE(Leave(alice).ok());
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'other'").ok());
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
  std::vector<std::string> seen;
  EXPECT_TRUE(
      Watch(
          alice, seen, [] { return false; }, "after_sequence: 1 instance_id: 'test-instance'")
          .ok());
  EXPECT_THAT(
      seen, ElementsAre("test-instance", "alice leg_added", "alice leg_removed", "session_ended"));
}

TEST_F(ParticipantCallsTest, AStreamEndsWhenItsTokenExpires) {
  const ParticipantClaims alice = ClaimsFor("alice", "lifetime { seconds: 60 }");
  std::vector<std::string> seen;
  int polls = 0;
  const grpc::Status status = Watch(alice, seen, [&] {
    if (++polls == 2) {
      harness_.Advance(absl::Seconds(60));
    }
    return polls > 100;
  });
  EXPECT_EQ(status.error_code(), Code::UNAUTHENTICATED);
  EXPECT_EQ(status.error_message(), "token: expired");
  EXPECT_EQ(polls, 2);
  EXPECT_EQ(Refused(ParticipantRefusal::kExpired), 1u);
}

TEST_F(ParticipantCallsTest, AStreamEndsWhenItsTokenIsRevoked) {
  const ParticipantClaims alice = ClaimsFor("alice");
  std::vector<std::string> seen;
  int polls = 0;
  const grpc::Status status = Watch(alice, seen, [&] {
    if (++polls == 1) {
      // What happens afterwards is not for this token any more.
      EXPECT_TRUE(harness_.tokens().Revoke(alice.id, harness_.now()).ok());
      EXPECT_TRUE(Join(ClaimsFor("alice")).ok());
    }
    return polls > 100;
  });
  EXPECT_EQ(status.error_message(), "token: revoked");
  EXPECT_THAT(seen, ElementsAre("test-instance"));
  EXPECT_EQ(Refused(ParticipantRefusal::kRevoked), 1u);
}

TEST_F(ParticipantCallsTest, AStreamTakesAPlaceOfTheWatchers) {
  const ParticipantClaims alice = ClaimsFor("alice");
  std::vector<std::string> seen;
  bool asked = false;
  EXPECT_TRUE(Watch(alice, seen, [&] {
                EXPECT_EQ(harness_.room().watchers().used(), 1u);
                asked = true;
                return true;
              }).ok());
  EXPECT_TRUE(asked);
  EXPECT_EQ(harness_.room().watchers().used(), 0u);
  const auto first = harness_.room().watchers().Take();
  const auto second = harness_.room().watchers().Take();
  EXPECT_EQ(ReachedLimit(Watch(alice, seen, [] { return true; })), "watchers");
}

TEST_F(ParticipantCallsTest, OneTokenHasTwoStreamsAtMost) {
  const ParticipantClaims alice = ClaimsFor("alice");
  std::vector<std::string> seen;
  std::string limit;
  EXPECT_TRUE(Watch(alice, seen, [&] {
                EXPECT_TRUE(Watch(alice, seen, [&] {
                              limit = ReachedLimit(Watch(alice, seen, [] { return true; }));
                              return true;
                            }).ok());
                return true;
              }).ok());
  EXPECT_EQ(limit, "streams_per_token");
  EXPECT_EQ(Refused(ParticipantRefusal::kTooManyStreams), 1u);
}

TEST_F(ParticipantCallsTest, NobodyWaitsForEventsOfASessionThatIsOver) {
  const ParticipantClaims alice = ClaimsFor("alice");
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok());
  std::vector<std::string> seen;
  EXPECT_EQ(Watch(alice, seen, [] { return false; }).error_code(), Code::NOT_FOUND);
  EXPECT_THAT(seen, IsEmpty());
  EXPECT_EQ(Join(alice).error_code(), Code::FAILED_PRECONDITION) << "it is a tombstone";
}

}  // namespace
}  // namespace sluice

#include "gateway/control/gateway_service.h"

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/io/testing/udp_peer.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Service = GatewayService;
using Code = grpc::StatusCode;

TransportAddress Address(const pb::TransportAddress& address) {
  return {IpAddress::Parse(address.ip()).value(), static_cast<uint16_t>(address.port())};
}

std::string Remote(const UdpPeer& peer) {
  return absl::StrCat("remote { rtp { ip: '", peer.address().ip.ToString(),
                      "' port: ", peer.address().port, " } } ");
}

class GatewayServiceTest : public ::testing::Test {
 protected:
  pb::Session Create(const std::string& request = "session_id: 'call'") {
    pb::CreateSessionResponse response;
    const grpc::Status status = harness_.Call(&Service::CreateSession, request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.session();
  }
  pb::AddLegResponse AddLeg(const std::string& id, const std::string& config) {
    pb::AddLegResponse response;
    const grpc::Status status = harness_.Call(
        &Service::AddLeg,
        absl::StrCat("session_id: 'call' leg_id: '", id, "' config { ", config, " }"), response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  pb::Session Get() {
    pb::GetSessionResponse response;
    const grpc::Status status = harness_.Call(&Service::GetSession, "session_id: 'call'", response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.session();
  }
  void Delete() { EXPECT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'").ok()); }

  ControlHarness harness_;
};

TEST_F(GatewayServiceTest, ANewSessionHasItsDefaultsFilledIn) {
  const pb::Session session = Create(
      "session_id: 'call' config { idle_timeout { seconds: 7 } "
      "labels { key: 'tenant' value: 'x' } }");
  EXPECT_EQ(session.session_id(), "call");
  EXPECT_EQ(session.state(), pb::SESSION_STATE_OFFERED);
  EXPECT_EQ(session.config().idle_timeout().seconds(), 7);
  EXPECT_EQ(session.config().offer_timeout().seconds(), 300);
  EXPECT_EQ(session.config().labels().at("tenant"), "x");
  EXPECT_EQ(session.create_time().seconds(), 1'700'000'000);
  EXPECT_EQ(session.legs_size(), 0);
}

TEST_F(GatewayServiceTest, ARepeatedCreateFindsWhatTheFirstOneMade) {
  const std::string request = "session_id: 'call' config { idle_timeout { seconds: 7 } }";
  const pb::Session first = Create(request);
  harness_.Advance(absl::Seconds(1));
  EXPECT_EQ(Create(request).DebugString(), first.DebugString());
  EXPECT_THAT(harness_.Events(), ElementsAre("call session_created"));
}

TEST_F(GatewayServiceTest, ACreateWithAnotherConfigurationIsRefused) {
  Create();
  const grpc::Status status = harness_.Call(
      &Service::CreateSession, "session_id: 'call' config { labels { key: 'k' value: 'v' } }");
  EXPECT_EQ(status.error_code(), Code::ALREADY_EXISTS);
  const auto resource = FindDetail<google::rpc::ResourceInfo>(status);
  ASSERT_TRUE(resource.has_value());
  EXPECT_EQ(resource->resource_type(), "session");
  EXPECT_EQ(resource->resource_name(), "call");
}

TEST_F(GatewayServiceTest, ADeletedIdComesBackOnlyAfterItsTombstone) {
  Create();
  Delete();
  const grpc::Status status = harness_.Call(&Service::CreateSession, "session_id: 'call'");
  EXPECT_EQ(status.error_code(), Code::FAILED_PRECONDITION);
  const auto failure = FindDetail<google::rpc::PreconditionFailure>(status);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->violations(0).type(), "TOMBSTONE");
  EXPECT_EQ(failure->violations(0).subject(), "call");
  harness_.Advance(absl::Minutes(10));
  Create();
}

TEST_F(GatewayServiceTest, DeletingAgainGivesTheSameAnswer) {
  UdpPeer alice(IpFamily::kIpv4);
  UdpPeer bob(IpFamily::kIpv4);
  Create();
  const pb::AddLegResponse a = AddLeg("alice", "kind: LEG_KIND_RTP " + Remote(alice));
  AddLeg("bob", "kind: LEG_KIND_RTP " + Remote(bob));
  alice.Send(Address(a.leg().local_rtp()), RtpPacketBuilder().WithSsrc(7).Build());
  ASSERT_TRUE(bob.Receive().has_value());
  harness_.Advance(absl::Seconds(5));

  pb::DeleteSessionResponse first;
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'", first).ok());
  EXPECT_EQ(first.session().state(), pb::SESSION_STATE_ENDED);
  EXPECT_EQ(first.session().end_reason(), pb::END_REASON_DELETED);
  EXPECT_EQ(first.session().end_time().seconds(), 1'700'000'005);
  ASSERT_EQ(first.final_stats().legs_size(), 2);
  EXPECT_EQ(first.final_stats().legs(0).packets_received(), 1u);
  EXPECT_EQ(first.final_stats().legs(1).packets_sent(), 1u);

  harness_.Advance(absl::Seconds(5));
  pb::DeleteSessionResponse second;
  ASSERT_TRUE(harness_.Call(&Service::DeleteSession, "session_id: 'call'", second).ok());
  EXPECT_EQ(second.DebugString(), first.DebugString());
  EXPECT_EQ(Get().DebugString(), first.session().DebugString());
  pb::GetStatsResponse stats;
  ASSERT_TRUE(harness_.Call(&Service::GetStats, "session_id: 'call'", stats).ok());
  EXPECT_EQ(stats.stats().DebugString(), first.final_stats().DebugString());
}

TEST_F(GatewayServiceTest, UpdateSessionChangesWhatTheMaskNames) {
  Create("session_id: 'call' config { labels { key: 'k' value: 'v' } }");
  pb::UpdateSessionResponse response;
  const grpc::Status status =
      harness_.Call(&Service::UpdateSession,
                    "session_id: 'call' config { idle_timeout { seconds: 9 } "
                    "hold_timeout { seconds: 9 } } update_mask { paths: 'idle_timeout' }",
                    response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.session().config().idle_timeout().seconds(), 9);
  EXPECT_EQ(response.session().config().hold_timeout().seconds(), 3600);
  EXPECT_EQ(response.session().config().labels().at("k"), "v");
  EXPECT_EQ(Get().DebugString(), response.session().DebugString());
}

TEST_F(GatewayServiceTest, ALegHasAnEvenPortAndTheOddOneAboveIt) {
  Create();
  const pb::Leg leg = AddLeg("alice", "kind: LEG_KIND_RTP").leg();
  EXPECT_EQ(leg.session_id(), "call");
  EXPECT_EQ(leg.leg_id(), "alice");
  EXPECT_EQ(leg.kind(), pb::LEG_KIND_RTP);
  EXPECT_EQ(leg.local_rtp().ip(), "127.0.0.1");
  EXPECT_EQ(leg.local_rtp().port() % 2, 0u);
  EXPECT_EQ(leg.local_rtcp().port(), leg.local_rtp().port() + 1);
  EXPECT_FALSE(leg.has_remote_rtp());

  const pb::Leg mux =
      AddLeg("bob", "kind: LEG_KIND_RTP rtcp_mux: true ip_family: IP_FAMILY_IPV6").leg();
  EXPECT_EQ(mux.local_rtp().ip(), "::1");
  EXPECT_EQ(mux.local_rtcp().port(), mux.local_rtp().port());
}

TEST_F(GatewayServiceTest, AnSrtpLegGetsAKeyOfTheSuiteAskedFor) {
  Create();
  const pb::AddLegResponse gcm = AddLeg("alice", "kind: LEG_KIND_SRTP");
  EXPECT_EQ(gcm.local_key().suite(), pb::CRYPTO_SUITE_AEAD_AES_128_GCM);
  EXPECT_EQ(gcm.local_key().master_key_and_salt().size(), 28u);
  EXPECT_EQ(gcm.leg().local_suite(), pb::CRYPTO_SUITE_AEAD_AES_128_GCM);
  EXPECT_EQ(gcm.leg().remote_suite(), pb::CRYPTO_SUITE_UNSPECIFIED);

  const pb::AddLegResponse cm =
      AddLeg("bob",
             "kind: LEG_KIND_SRTP local_suite: CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32 "
             "remote_key { suite: CRYPTO_SUITE_AEAD_AES_256_GCM master_key_and_salt: '" +
                 std::string(44, 'k') + "' }");
  EXPECT_EQ(cm.local_key().suite(), pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32);
  EXPECT_EQ(cm.local_key().master_key_and_salt().size(), 30u);
  EXPECT_EQ(cm.leg().remote_suite(), pb::CRYPTO_SUITE_AEAD_AES_256_GCM);
  EXPECT_NE(cm.local_key().master_key_and_salt().substr(0, 16),
            gcm.local_key().master_key_and_salt().substr(0, 16));

  EXPECT_FALSE(AddLeg("carol", "kind: LEG_KIND_RTP").has_local_key());
}

TEST_F(GatewayServiceTest, ARepeatedAddLegIsRefusedSinceKeysAreToldOnce) {
  Create();
  AddLeg("alice", "kind: LEG_KIND_SRTP");
  const grpc::Status status = harness_.Call(
      &Service::AddLeg, "session_id: 'call' leg_id: 'alice' config { kind: LEG_KIND_SRTP }");
  EXPECT_EQ(status.error_code(), Code::ALREADY_EXISTS);
  const auto resource = FindDetail<google::rpc::ResourceInfo>(status);
  ASSERT_TRUE(resource.has_value());
  EXPECT_EQ(resource->resource_type(), "leg");
  EXPECT_EQ(resource->resource_name(), "alice");
}

TEST_F(GatewayServiceTest, TwoLegsAreBridgedUntilToldOtherwise) {
  Create();
  AddLeg("alice", "kind: LEG_KIND_RTP");
  AddLeg("bob", "kind: LEG_KIND_RTP");
  EXPECT_EQ(Get().forwarding_size(), 2);
  pb::SetForwardingResponse response;
  const grpc::Status status = harness_.Call(
      &Service::SetForwarding,
      "session_id: 'call' rules { from_leg_id: 'alice' to_leg_ids: 'bob' }", response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.session().forwarding_size(), 1);
  EXPECT_EQ(response.session().forwarding(0).from_leg_id(), "alice");
  EXPECT_THAT(response.session().forwarding(0).to_leg_ids(), ElementsAre("bob"));
}

TEST_F(GatewayServiceTest, ForwardingNamesTheLegThatIsNotThere) {
  Create();
  AddLeg("alice", "kind: LEG_KIND_RTP");
  EXPECT_THAT(BadFields(harness_.Call(
                  &Service::SetForwarding,
                  "session_id: 'call' rules { from_leg_id: 'alice' to_leg_ids: 'bob' }")),
              ElementsAre("rules[0].to_leg_ids[0]"));
}

TEST_F(GatewayServiceTest, UpdateLegMovesHoldsAndRekeys) {
  UdpPeer alice(IpFamily::kIpv4);
  Create();
  AddLeg("alice", "kind: LEG_KIND_SRTP");
  pb::UpdateLegResponse response;
  grpc::Status status = harness_.Call(
      &Service::UpdateLeg,
      "session_id: 'call' leg_id: 'alice' config { hold: true " + Remote(alice) +
          "remote_key { suite: CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80 master_key_and_salt: '" +
          std::string(30, 'k') + "' } } update_mask { paths: ['hold', 'remote', 'remote_key'] }",
      response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.leg().hold());
  EXPECT_EQ(response.leg().remote_rtp().port(), alice.address().port);
  EXPECT_EQ(response.leg().remote_suite(), pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80);
  EXPECT_FALSE(response.has_local_key());
  EXPECT_EQ(harness_.Events().back(), "call/alice leg_updated");
}

TEST_F(GatewayServiceTest, TheLocalKeyChangesInTwoSteps) {
  Create();
  const std::string first =
      AddLeg("alice", "kind: LEG_KIND_SRTP").local_key().master_key_and_salt();
  const std::string leg = "session_id: 'call' leg_id: 'alice' local_key_change: LOCAL_KEY_CHANGE_";
  const grpc::Status early = harness_.Call(&Service::UpdateLeg, leg + "ACTIVATE");
  EXPECT_EQ(early.error_code(), Code::FAILED_PRECONDITION);
  EXPECT_TRUE(FindDetail<google::rpc::PreconditionFailure>(early).has_value());

  pb::UpdateLegResponse response;
  ASSERT_TRUE(harness_.Call(&Service::UpdateLeg, leg + "PREPARE", response).ok());
  EXPECT_EQ(response.local_key().suite(), pb::CRYPTO_SUITE_AEAD_AES_128_GCM);
  EXPECT_EQ(response.local_key().master_key_and_salt().size(), 28u);
  EXPECT_NE(response.local_key().master_key_and_salt(), first);
  ASSERT_TRUE(harness_.Call(&Service::UpdateLeg, leg + "ACTIVATE", response).ok());
  EXPECT_FALSE(response.has_local_key());
}

TEST_F(GatewayServiceTest, RemoveLegGivesItsStatistics) {
  UdpPeer alice(IpFamily::kIpv4);
  Create();
  const pb::AddLegResponse added =
      AddLeg("alice", "kind: LEG_KIND_RTP rtcp_mux: true " + Remote(alice));
  alice.Send(Address(added.leg().local_rtp()), RtpPacketBuilder().WithSsrc(7).Build());
  harness_.WaitForEvents(3);
  pb::RemoveLegResponse response;
  ASSERT_TRUE(
      harness_.Call(&Service::RemoveLeg, "session_id: 'call' leg_id: 'alice'", response).ok());
  EXPECT_EQ(response.final_stats().packets_received(), 1u);
  EXPECT_EQ(response.final_stats().verdicts(0).verdict(), "no_destination");
  const grpc::Status again =
      harness_.Call(&Service::RemoveLeg, "session_id: 'call' leg_id: 'alice'");
  EXPECT_EQ(again.error_code(), Code::NOT_FOUND);
  EXPECT_EQ(FindDetail<google::rpc::ResourceInfo>(again)->resource_type(), "leg");
}

TEST_F(GatewayServiceTest, StatisticsShowStreamsAndTheTimeOfTheSample) {
  UdpPeer alice(IpFamily::kIpv4);
  Create();
  const pb::AddLegResponse added =
      AddLeg("alice", "kind: LEG_KIND_RTP rtcp_mux: true " + Remote(alice));
  alice.Send(Address(added.leg().local_rtp()),
             RtpPacketBuilder().WithSsrc(7).WithPayloadSize(100).Build());
  harness_.WaitForEvents(4);
  harness_.Advance(absl::Seconds(2));
  pb::GetStatsResponse response;
  ASSERT_TRUE(harness_.Call(&Service::GetStats, "session_id: 'call'", response).ok());
  EXPECT_EQ(response.stats().session_id(), "call");
  EXPECT_EQ(response.stats().state(), pb::SESSION_STATE_ACTIVE);
  EXPECT_EQ(response.stats().sample_time().seconds(), 1'700'000'002);
  ASSERT_EQ(response.stats().legs(0).streams_size(), 1);
  EXPECT_EQ(response.stats().legs(0).streams(0).ssrc(), 7u);
  EXPECT_EQ(response.stats().legs(0).streams(0).payload_bytes(), 100u);
}

// Every call about a session, by text.
struct SessionCall {
  std::string name;
  std::function<grpc::Status(ControlHarness&, const std::string& session_id)> call;
};

std::vector<SessionCall> AllSessionCalls() {
  const auto with = [](auto method, const std::string& rest) {
    return [method, rest](ControlHarness& harness, const std::string& id) {
      return harness.Call(method, absl::StrCat("session_id: '", id, "' ", rest));
    };
  };
  return {
      {"GetSession", with(&Service::GetSession, "")},
      {"UpdateSession", with(&Service::UpdateSession, "update_mask { paths: 'labels' }")},
      {"DeleteSession", with(&Service::DeleteSession, "")},
      {"AddLeg", with(&Service::AddLeg, "leg_id: 'alice' config { kind: LEG_KIND_RTP }")},
      {"UpdateLeg", with(&Service::UpdateLeg, "leg_id: 'alice' update_mask { paths: 'hold' }")},
      {"RemoveLeg", with(&Service::RemoveLeg, "leg_id: 'alice'")},
      {"SetForwarding", with(&Service::SetForwarding, "")},
      {"GetStats", with(&Service::GetStats, "")},
  };
}

TEST_F(GatewayServiceTest, EveryCallSaysThatASessionIsUnknown) {
  for (const SessionCall& call : AllSessionCalls()) {
    const grpc::Status status = call.call(harness_, "nobody");
    EXPECT_EQ(status.error_code(), Code::NOT_FOUND) << call.name;
    const auto resource = FindDetail<google::rpc::ResourceInfo>(status);
    ASSERT_TRUE(resource.has_value()) << call.name;
    EXPECT_EQ(resource->resource_type(), "session") << call.name;
    EXPECT_EQ(resource->resource_name(), "nobody") << call.name;
  }
}

TEST_F(GatewayServiceTest, EveryCallRefusesWhatIsNoId) {
  for (const SessionCall& call : AllSessionCalls()) {
    for (const std::string& id : {std::string(), std::string("a b"), std::string(129, 'x')}) {
      EXPECT_THAT(BadFields(call.call(harness_, id)), ElementsAre("session_id"))
          << call.name << " '" << id << "'";
    }
  }
}

TEST_F(GatewayServiceTest, WhatChangesASessionIsRefusedOnceItHasEnded) {
  Create();
  Delete();
  for (const SessionCall& call : AllSessionCalls()) {
    const bool reads =
        call.name == "GetSession" || call.name == "GetStats" || call.name == "DeleteSession";
    EXPECT_EQ(call.call(harness_, "call").error_code(),
              reads ? Code::OK : Code::FAILED_PRECONDITION)
        << call.name;
  }
}

TEST_F(GatewayServiceTest, AStoppingGatewayIsUnavailable) {
  Create();
  harness_.workers().Stop();
  for (const SessionCall& call : AllSessionCalls()) {
    EXPECT_EQ(call.call(harness_, "call").error_code(), Code::UNAVAILABLE) << call.name;
  }
  EXPECT_EQ(harness_.Call(&Service::CreateSession, "session_id: 'other'").error_code(),
            Code::UNAVAILABLE);
}

}  // namespace
}  // namespace sluice

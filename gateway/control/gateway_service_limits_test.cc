// What calls that fail leave behind, which is nothing, and what limits say when they are reached.

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/testing/grpc_details.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Service = GatewayService;
using Code = grpc::StatusCode;

grpc::Status Create(ControlHarness& harness, const std::string& id) {
  return harness.Call(&Service::CreateSession, absl::StrCat("session_id: '", id, "'"));
}

grpc::Status AddLeg(ControlHarness& harness, const std::string& session, const std::string& leg,
                    const std::string& config = "kind: LEG_KIND_RTP") {
  return harness.Call(&Service::AddLeg, absl::StrCat("session_id: '", session, "' leg_id: '", leg,
                                                     "' config { ", config, " }"));
}

TEST(GatewayServiceLimitsTest, ARefusedLegLeavesNothingBehind) {
  ControlHarness harness;
  ASSERT_TRUE(Create(harness, "call").ok());
  ASSERT_TRUE(AddLeg(harness, "call", "alice").ok());
  const std::string before = harness.Footprint();
  const struct {
    std::string session, leg, config;
    Code code;
  } kCases[] = {
      {"call", "alice", "kind: LEG_KIND_SRTP", Code::ALREADY_EXISTS},
      {"nobody", "bob", "kind: LEG_KIND_SRTP", Code::NOT_FOUND},
      {"call", "b/b", "kind: LEG_KIND_SRTP", Code::INVALID_ARGUMENT},
      {"call", "bob", "", Code::INVALID_ARGUMENT},
      {"call", "bob", "kind: LEG_KIND_SRTP local_suite: 99", Code::INVALID_ARGUMENT},
      {"call", "bob",
       "kind: LEG_KIND_SRTP remote_key { suite: CRYPTO_SUITE_AEAD_AES_128_GCM "
       "master_key_and_salt: 'short' }",
       Code::INVALID_ARGUMENT},
      {"call", "bob", "kind: LEG_KIND_RTP remote { rtp { ip: '1.2.3' port: 5 } }",
       Code::INVALID_ARGUMENT},
      {"call", "bob", "kind: LEG_KIND_RTP remote_ssrcs: -1", Code::INVALID_ARGUMENT},
      {"call", "bob", "kind: LEG_KIND_RTP payload_types { number: 128 clock_rate_hz: 8000 }",
       Code::INVALID_ARGUMENT},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(AddLeg(harness, test.session, test.leg, test.config).error_code(), test.code)
        << test.config;
    EXPECT_EQ(harness.Footprint(), before) << test.config;
  }
}

TEST(GatewayServiceLimitsTest, LegsBeyondTheLimitAreRefusedByName) {
  ControlHarness harness;
  ASSERT_TRUE(Create(harness, "call").ok());
  for (const char* leg : {"a", "b", "c"}) {
    ASSERT_TRUE(AddLeg(harness, "call", leg).ok());
  }
  const std::string before = harness.Footprint();
  const grpc::Status status = AddLeg(harness, "call", "d");
  EXPECT_EQ(ReachedLimit(status), "legs_per_session");
  EXPECT_THAT(status.error_message(), HasSubstr("3"));
  EXPECT_EQ(harness.Footprint(), before);
}

TEST(GatewayServiceLimitsTest, MoreThanLegsMayTakeTogetherIsRefusedByName) {
  HarnessOptions options;
  options.workers = 1;
  options.limits.extra_srtp_kib = 64;
  ControlHarness harness(options);
  ASSERT_TRUE(Create(harness, "call").ok());
  // Four streams and two spare contexts, 4 KiB each.
  const std::string wide = "kind: LEG_KIND_SRTP remote_options { rtp_replay_window: 32768 }";
  ASSERT_TRUE(AddLeg(harness, "call", "a", wide).ok());
  ASSERT_TRUE(AddLeg(harness, "call", "b", wide).ok());
  const std::string before = harness.Footprint();
  const grpc::Status status = AddLeg(harness, "call", "c", wide);
  EXPECT_EQ(ReachedLimit(status), "extra_srtp_kib");
  EXPECT_THAT(status.error_message(), HasSubstr("narrower windows"));
  EXPECT_EQ(harness.Footprint(), before);
  EXPECT_TRUE(AddLeg(harness, "call", "c", "kind: LEG_KIND_SRTP").ok()) << "the usual always fits";
}

TEST(GatewayServiceLimitsTest, KeysBeyondTheLimitAreRefusedByName) {
  ControlHarness harness;
  ASSERT_TRUE(Create(harness, "call").ok());
  ASSERT_TRUE(AddLeg(harness, "call", "a", "kind: LEG_KIND_SRTP local_mki: '0'").ok());
  const auto prepare = [&harness](int i) {
    return harness.Call(&Service::UpdateLeg,
                        absl::StrCat("session_id: 'call' leg_id: 'a' local_key_change: "
                                     "LOCAL_KEY_CHANGE_PREPARE local_mki: '",
                                     i, "'"));
  };
  for (int i = 1; i < 8; ++i) {
    ASSERT_TRUE(prepare(i).ok()) << i;
  }
  EXPECT_EQ(ReachedLimit(prepare(8)), "keys_per_direction");
}

TEST(GatewayServiceLimitsTest, SessionsBeyondTheLimitAreRefusedByName) {
  ControlHarness harness;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(Create(harness, absl::StrCat("call-", i)).ok());
  }
  const std::string before = harness.Footprint();
  const grpc::Status status = Create(harness, "one-more");
  EXPECT_EQ(ReachedLimit(status), "sessions");
  EXPECT_THAT(status.error_message(), HasSubstr("8"));
  EXPECT_EQ(harness.Footprint(), before);
  EXPECT_EQ(harness.Call(&Service::GetSession, "session_id: 'one-more'").error_code(),
            Code::NOT_FOUND);
  ASSERT_TRUE(harness.Call(&Service::DeleteSession, "session_id: 'call-3'").ok());
  EXPECT_TRUE(Create(harness, "one-more").ok());
}

TEST(GatewayServiceLimitsTest, PortsThatRunOutAreToldByNameAndComeBack) {
  HarnessOptions options;
  options.port_pairs = 2;
  options.ipv6 = false;
  ControlHarness harness(options);
  ASSERT_TRUE(Create(harness, "call").ok());
  ASSERT_TRUE(AddLeg(harness, "call", "a").ok());
  ASSERT_TRUE(AddLeg(harness, "call", "b").ok());
  const std::string before = harness.Footprint();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ReachedLimit(AddLeg(harness, "call", "c")), "media_ports");
  }
  EXPECT_EQ(harness.Footprint(), before);
  ASSERT_TRUE(harness.Call(&Service::RemoveLeg, "session_id: 'call' leg_id: 'a'").ok());
  EXPECT_TRUE(AddLeg(harness, "call", "c").ok());
}

TEST(GatewayServiceLimitsTest, AFamilyThatIsNotOfferedIsAPrecondition) {
  HarnessOptions options;
  options.ipv6 = false;
  ControlHarness harness(options);
  ASSERT_TRUE(Create(harness, "call").ok());
  const std::string before = harness.Footprint();
  const grpc::Status status =
      AddLeg(harness, "call", "a", "kind: LEG_KIND_RTP ip_family: IP_FAMILY_IPV6");
  EXPECT_EQ(status.error_code(), Code::FAILED_PRECONDITION);
  EXPECT_TRUE(FindDetail<google::rpc::PreconditionFailure>(status).has_value());
  EXPECT_EQ(harness.Footprint(), before);
}

TEST(GatewayServiceLimitsTest, WhatEndsGivesEverythingBack) {
  ControlHarness harness;
  const std::string before = harness.Footprint();
  for (int round = 0; round < 30; ++round) {
    const std::string id = absl::StrCat("call-", round);
    ASSERT_TRUE(Create(harness, id).ok());
    ASSERT_TRUE(AddLeg(harness, id, "a", "kind: LEG_KIND_SRTP rtcp_mux: true").ok());
    ASSERT_TRUE(AddLeg(harness, id, "b", "kind: LEG_KIND_RTP ip_family: IP_FAMILY_IPV6").ok());
    ASSERT_TRUE(harness.Call(&Service::DeleteSession, absl::StrCat("session_id: '", id, "'")).ok());
  }
  EXPECT_EQ(harness.Footprint(), before);
}

TEST(GatewayServiceLimitsTest, CallsFromManyThreadsLeaveNothingBehind) {
  HarnessOptions options;
  options.limits.tombstones = 10'000;
  options.limits.event_log = 10'000;
  ControlHarness harness(options);
  const std::string before = harness.Footprint();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&harness, t] {
      for (int round = 0; round < 50; ++round) {
        const std::string id = absl::StrCat("call-", t, "-", round);
        ASSERT_TRUE(Create(harness, id).ok());
        ASSERT_TRUE(AddLeg(harness, id, "a", "kind: LEG_KIND_SRTP").ok());
        ASSERT_TRUE(harness.Call(&Service::ListSessions, "").ok());
        ASSERT_TRUE(harness.Call(&Service::GetStats, absl::StrCat("session_id: '", id, "'")).ok());
        ASSERT_TRUE(
            harness.Call(&Service::DeleteSession, absl::StrCat("session_id: '", id, "'")).ok());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(harness.Footprint(), before);
  EXPECT_EQ(harness.room().log().latest(), 4u * 50u * 3u);
}

}  // namespace
}  // namespace sluice

#include "gateway/control/leg_convert.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/time_delta.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/media_description.h"
#include "gateway/leg/srtp_options.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/gateway/v1/leg.pb.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/srtp_policy.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// As text; `key` stands for that many bytes.
std::string Key(const std::string& suite, size_t bytes) {
  return absl::StrCat("remote_key { suite: CRYPTO_SUITE_", suite, " master_key_and_salt: '",
                      std::string(bytes, 'k'), "' } ");
}

gateway::v1::AddLegRequest AddRequest(const std::string& config) {
  gateway::v1::AddLegRequest request;
  request.set_session_id("call-1");
  request.set_leg_id("alice");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(config, request.mutable_config()))
      << config;
  return request;
}

NewLeg Add(const std::string& config) {
  FieldViolations violations;
  NewLeg leg = ToNewLeg(AddRequest(config), violations);
  EXPECT_TRUE(violations.empty()) << config << ": " << violations.ToStatus();
  return leg;
}

TEST(LegConvertTest, APlainLegHasDefaults) {
  const NewLeg leg = Add("kind: LEG_KIND_RTP");
  EXPECT_EQ(leg.spec.id, "alice");
  EXPECT_EQ(leg.spec.kind, LegKind::kRtp);
  EXPECT_EQ(leg.family, IpFamily::kIpv4);
  EXPECT_FALSE(leg.spec.rtcp_mux);
  EXPECT_EQ(leg.spec.remote, std::nullopt);
  EXPECT_EQ(leg.spec.learning, AddressLearning::kStrict);
  EXPECT_EQ(leg.spec.learning_window, TimeDelta::Seconds(10));
  EXPECT_EQ(leg.local_suite, std::nullopt);
  EXPECT_FALSE(leg.spec.hold);
}

TEST(LegConvertTest, EverythingSaidIsTaken) {
  const NewLeg leg =
      Add(absl::StrCat("kind: LEG_KIND_SRTP rtcp_mux: true remote { rtp { ip: '::1' port: 5004 } } "
                       "address_learning: ADDRESS_LEARNING_LEARN learning_window { seconds: 60 } "
                       "payload_types { number: 0 clock_rate_hz: 8000 } "
                       "payload_types { number: 127 encoding_name: 'VP8' clock_rate_hz: 1000000 } "
                       "remote_ssrcs: 0 remote_ssrcs: 4294967295 hold: true ",
                       Key("AEAD_AES_256_GCM", 44)));
  EXPECT_EQ(leg.family, IpFamily::kIpv6);
  EXPECT_TRUE(leg.spec.rtcp_mux);
  EXPECT_EQ(leg.spec.remote->rtp.ToString(), "[::1]:5004");
  EXPECT_EQ(leg.spec.learning, AddressLearning::kLearn);
  EXPECT_EQ(leg.spec.learning_window, TimeDelta::Seconds(60));
  ASSERT_EQ(leg.spec.payload_types.size(), 2u);
  EXPECT_EQ(leg.spec.payload_types[1].payload_type, PayloadType(127));
  EXPECT_EQ(leg.spec.payload_types[1].encoding_name, "VP8");
  EXPECT_EQ(leg.spec.payload_types[1].clock_rate, 1'000'000u);
  EXPECT_THAT(leg.spec.remote_ssrcs, ElementsAre(Ssrc(0), Ssrc(4294967295)));
  EXPECT_TRUE(leg.spec.hold);
  EXPECT_EQ(leg.spec.remote_key->suite().id, SuiteId::kAeadAes256Gcm);
  EXPECT_EQ(leg.spec.local_key, std::nullopt) << "made by the caller, once all is valid";
}

TEST(LegConvertTest, TheLocalSuiteIsAskedOrThatOfThePeerOrGcm128) {
  EXPECT_EQ(Add("kind: LEG_KIND_SRTP").local_suite, SuiteId::kAeadAes128Gcm);
  EXPECT_EQ(Add("kind: LEG_KIND_SRTP " + Key("AES_CM_128_HMAC_SHA1_80", 30)).local_suite,
            SuiteId::kAesCm128HmacSha1_80);
  EXPECT_EQ(Add("kind: LEG_KIND_SRTP local_suite: CRYPTO_SUITE_AEAD_AES_256_GCM " +
                Key("AES_CM_128_HMAC_SHA1_32", 30))
                .local_suite,
            SuiteId::kAeadAes256Gcm);
}

TEST(LegConvertTest, OnlyAnSrtpLegWithoutASignalledAddressLearnsByItself) {
  const std::string remote = " remote { rtp { ip: '192.0.2.1' port: 5004 } }";
  EXPECT_EQ(Add("kind: LEG_KIND_SRTP").spec.learning, AddressLearning::kLearn);
  EXPECT_EQ(Add("kind: LEG_KIND_SRTP" + remote).spec.learning, AddressLearning::kStrict);
  EXPECT_EQ(Add("kind: LEG_KIND_RTP").spec.learning, AddressLearning::kStrict);
  EXPECT_EQ(Add("kind: LEG_KIND_SRTP address_learning: ADDRESS_LEARNING_STRICT").spec.learning,
            AddressLearning::kStrict);
}

struct BadLeg {
  std::string config;
  std::vector<std::string> fields;
  std::string description;
};

void ExpectRefused(const BadLeg& test) {
  FieldViolations violations;
  ToNewLeg(AddRequest(test.config), violations);
  EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())), ElementsAreArray(test.fields))
      << test.config;
  EXPECT_THAT(std::string(violations.ToStatus().message()), HasSubstr(test.description))
      << test.config;
}

TEST(LegConvertTest, NamesWhatIsWrongWithAKey) {
  const BadLeg kCases[] = {
      {"kind: LEG_KIND_SRTP " + Key("AES_CM_128_HMAC_SHA1_80", 29),
       {"config.remote_key.master_key_and_salt"},
       "has 29 bytes, AES_CM_128_HMAC_SHA1_80 needs 30"},
      {"kind: LEG_KIND_SRTP remote_key { suite: 77 master_key_and_salt: '' }",
       {"config.remote_key.suite"},
       "AEAD_AES_256_GCM"},
      {"kind: LEG_KIND_SRTP local_suite: 77", {"config.local_suite"}, "AEAD_AES_128_GCM"},
      {"kind: LEG_KIND_SRTP local_mki: '" + std::string(129, 'm') + "'",
       {"config.local_mki"},
       "has 129 bytes, must have 1..128"},
      {"kind: LEG_KIND_SRTP local_options { cryptex: 9 } remote_options { rtp_replay_window: 7 }",
       {"config.local_options.cryptex", "config.remote_options.rtp_replay_window"},
       "must be CRYPTEX_OFF, CRYPTEX_ON or CRYPTEX_REQUIRED"},
      {"kind: LEG_KIND_RTP local_suite: CRYPTO_SUITE_AEAD_AES_128_GCM local_mki: 'm' "
       "local_options {} remote_options {} " +
           Key("AEAD_AES_128_GCM", 28),
       {"config.remote_key", "config.local_suite", "config.local_mki", "config.local_options",
        "config.remote_options"},
       "is for LEG_KIND_SRTP only"},
  };
  for (const BadLeg& test : kCases) {
    ExpectRefused(test);
  }
}

TEST(LegConvertTest, NullSuitesAreOnlyUsedWhenTheyAreNamed) {
  const std::string null_key = "kind: LEG_KIND_SRTP " + Key("NULL_HMAC_SHA1_80", 30);
  ExpectRefused({null_key, {"config.local_suite"}, "must be named beside a remote key of a NULL"});
  EXPECT_EQ(Add(null_key + "local_suite: CRYPTO_SUITE_NULL_HMAC_SHA1_80").local_suite,
            SuiteId::kNullHmacSha1_80);
  EXPECT_EQ(Add(null_key + "local_suite: CRYPTO_SUITE_AEAD_AES_128_GCM").local_suite,
            SuiteId::kAeadAes128Gcm);
}

TEST(LegConvertTest, OptionsAndMkisReachTheLeg) {
  const NewLeg leg =
      Add("kind: LEG_KIND_SRTP local_mki: '\\001\\002' "
          "local_options { cryptex: CRYPTEX_ON } remote_options { rtcp_replay_window: 256 } "
          "remote_key { suite: CRYPTO_SUITE_AEAD_AES_128_GCM mki: 'id' master_key_and_salt: '" +
          std::string(28, 'k') + "' }");
  EXPECT_EQ(leg.spec.local_mki, *Mki::Create(std::vector<uint8_t>{1, 2}));
  EXPECT_EQ(leg.spec.remote_mki, *Mki::Create(std::vector<uint8_t>{'i', 'd'}));
  EXPECT_EQ(leg.spec.local_options.policy.cryptex, CryptexPolicy::kOn);
  EXPECT_EQ(leg.spec.remote_options.rtcp_replay_window, 256u);
}

TEST(LegConvertTest, NamesWhatIsOutOfRange) {
  const BadLeg kCases[] = {
      {"", {"config.kind"}, "must be LEG_KIND_RTP or LEG_KIND_SRTP"},
      {"kind: 77", {"config.kind"}, "must be LEG_KIND_RTP or LEG_KIND_SRTP"},
      {"kind: LEG_KIND_RTP rtcp_mux: true payload_types { number: 64 clock_rate_hz: 8000 } "
       "payload_types { number: 95 clock_rate_hz: 8000 } "
       "payload_types { number: 96 clock_rate_hz: 8000 }",
       {"config.payload_types[0].number", "config.payload_types[1].number"},
       "is 64, must not be 64..95 with rtcp_mux (RFC 5761 section 4)"},
      {"kind: LEG_KIND_RTP address_learning: 77", {"config.address_learning"}, "must be"},
      {"kind: LEG_KIND_RTP ip_family: 77", {"config.ip_family"}, "must be"},
      {"kind: LEG_KIND_RTP learning_window { seconds: 61 }",
       {"config.learning_window"},
       "must be 1 ms to 60 s"},
      {"kind: LEG_KIND_RTP learning_window { seconds: 0 }",
       {"config.learning_window"},
       "must be 1 ms to 60 s"},
      {"kind: LEG_KIND_RTP remote { rtp { ip: 'x' port: 1 } } learning_window { seconds: -1 } "
       "payload_types { number: 200 clock_rate_hz: 1 } remote_ssrcs: -5",
       {"config.remote.rtp.ip", "config.learning_window", "config.payload_types[0].number",
        "config.remote_ssrcs[0]"},
       "is not an IP address"},
  };
  for (const BadLeg& test : kCases) {
    ExpectRefused(test);
  }
}

TEST(LegConvertTest, IdsAreChecked) {
  gateway::v1::AddLegRequest request = AddRequest("kind: LEG_KIND_RTP");
  request.set_session_id("");
  request.set_leg_id("no blanks");
  FieldViolations violations;
  ToNewLeg(request, violations);
  EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())), ElementsAre("session_id", "leg_id"));
}

LegSnapshot Snapshot(LegKind kind) {
  LegSnapshot leg;
  leg.id = "alice";
  leg.kind = kind;
  leg.rtcp_mux = true;
  leg.local.rtp = leg.local.rtcp = {IpAddress::V4({127, 0, 0, 1}), 30000};
  if (kind == LegKind::kSrtp) {
    leg.local_suite = SuiteId::kAeadAes128Gcm;
  }
  return leg;
}

gateway::v1::UpdateLegRequest UpdateRequest(const std::string& text) {
  gateway::v1::UpdateLegRequest request;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request)) << text;
  request.set_session_id("call-1");
  request.set_leg_id("alice");
  return request;
}

TEST(LegConvertTest, AnUpdateChangesWhatTheMaskNamesAndNothingElse) {
  FieldViolations violations;
  const std::string config = absl::StrCat(
      "config { kind: LEG_KIND_RTP rtcp_mux: true remote { rtp { ip: '192.0.2.9' port: 9000 } } "
      "address_learning: ADDRESS_LEARNING_LEARN learning_window { seconds: 3 } "
      "payload_types { number: 96 clock_rate_hz: 90000 } remote_ssrcs: 7 hold: true ",
      Key("AEAD_AES_128_GCM", 28), "} ");
  LegUpdate update = ToLegUpdate(UpdateRequest(config + "update_mask { paths: 'hold' }"),
                                 Snapshot(LegKind::kSrtp), violations);
  EXPECT_TRUE(violations.empty());
  EXPECT_EQ(update.hold, true);
  EXPECT_EQ(update.remote, std::nullopt);
  EXPECT_EQ(update.remote_key, std::nullopt);
  EXPECT_EQ(update.learning, std::nullopt);

  update = ToLegUpdate(
      UpdateRequest(config + "update_mask { paths: ['remote', 'remote_key', 'address_learning', "
                             "'learning_window', 'payload_types', 'remote_ssrcs'] }"),
      Snapshot(LegKind::kSrtp), violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  EXPECT_EQ(update.hold, std::nullopt);
  EXPECT_EQ(update.remote->rtcp.ToString(), "192.0.2.9:9000");
  EXPECT_TRUE(update.remote_key.has_value());
  EXPECT_EQ(update.learning, AddressLearning::kLearn);
  EXPECT_EQ(update.learning_window, TimeDelta::Seconds(3));
  EXPECT_EQ(update.payload_types->size(), 1u);
  EXPECT_THAT(*update.remote_ssrcs, ElementsAre(Ssrc(7)));
}

TEST(LegConvertTest, ListsAndWindowsThatTheMaskNamesCanBeEmptied) {
  FieldViolations violations;
  const LegUpdate update = ToLegUpdate(
      UpdateRequest(
          "update_mask { paths: ['payload_types', 'remote_ssrcs', 'learning_window', 'hold'] }"),
      Snapshot(LegKind::kRtp), violations);
  EXPECT_TRUE(violations.empty());
  EXPECT_TRUE(update.payload_types.has_value() && update.payload_types->empty());
  EXPECT_TRUE(update.remote_ssrcs.has_value() && update.remote_ssrcs->empty());
  EXPECT_EQ(update.learning_window, TimeDelta::Seconds(10));
  EXPECT_EQ(update.hold, false);
}

TEST(LegConvertTest, MediaAndInterceptorsReachTheLeg) {
  const std::string media =
      "payload_types { number: 96 clock_rate_hz: 90000 rtcp_feedback: 'nack' } "
      "header_extensions { id: 3 uri: 'urn:a' } remote_streams { ssrc: 5 retransmission_ssrc: 6 } "
      "interceptors { rtcp: RTCP_HANDLING_TERMINATE nack: true }";
  const LegSpec spec = Add("kind: LEG_KIND_RTP " + media).spec;
  EXPECT_TRUE(spec.payload_types[0].feedback.nack);
  EXPECT_THAT(spec.header_extensions, ElementsAre(HeaderExtension{3, "urn:a"}));
  ASSERT_EQ(spec.remote_streams.size(), 1u);
  EXPECT_EQ(spec.remote_streams[0].retransmission_ssrc, Ssrc(6));
  EXPECT_EQ(spec.interceptors.rtcp, RtcpHandling::kTerminate);
  EXPECT_EQ(spec.interceptors.nack, true);

  FieldViolations violations;
  LegUpdate update = ToLegUpdate(UpdateRequest("config { " + media +
                                               " } update_mask { paths: ['header_extensions', "
                                               "'remote_streams', 'interceptors'] }"),
                                 Snapshot(LegKind::kRtp), violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  EXPECT_EQ(update.payload_types, std::nullopt);
  EXPECT_EQ(*update.header_extensions, spec.header_extensions);
  EXPECT_EQ(update.remote_streams->size(), 1u);
  EXPECT_EQ(update.interceptors->nack, true);

  update = ToLegUpdate(UpdateRequest("update_mask { paths: ['header_extensions', "
                                     "'remote_streams', 'interceptors'] }"),
                       Snapshot(LegKind::kRtp), violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  EXPECT_TRUE(update.header_extensions.has_value() && update.header_extensions->empty());
  EXPECT_TRUE(update.remote_streams.has_value() && update.remote_streams->empty());
  EXPECT_TRUE(update.interceptors.has_value());
  EXPECT_EQ(update.interceptors->nack, std::nullopt);
}

TEST(LegConvertTest, WhatIsWrongWithMediaAndInterceptorsIsNamed) {
  ExpectRefused(
      {"kind: LEG_KIND_RTP payload_types { number: 0 clock_rate_hz: 8000 rtcp_feedback: "
       "'foo' } header_extensions { id: 0 uri: 'u' } remote_streams { ssrc: -1 } "
       "interceptors { rtcp: 77 }",
       {"config.payload_types[0].rtcp_feedback[0]", "config.header_extensions[0].id",
        "config.remote_streams[0].ssrc", "config.interceptors.rtcp"},
       "is \"foo\", must be one of"});
}

TEST(LegConvertTest, ALocalKeyChangeNeedsNoMask) {
  FieldViolations violations;
  EXPECT_FALSE(ToLegUpdate(UpdateRequest("local_key_change: LOCAL_KEY_CHANGE_PREPARE"),
                           Snapshot(LegKind::kSrtp), violations)
                   .activate_local_key);
  EXPECT_TRUE(ToLegUpdate(UpdateRequest("local_key_change: LOCAL_KEY_CHANGE_ACTIVATE"),
                          Snapshot(LegKind::kSrtp), violations)
                  .activate_local_key);
  EXPECT_TRUE(violations.empty());
}

TEST(LegConvertTest, KeysAreNamedByTheirMkis) {
  FieldViolations violations;
  LegUpdate update =
      ToLegUpdate(UpdateRequest("local_key_change: LOCAL_KEY_CHANGE_RETIRE local_mki: 'a' "
                                "retire_remote_mkis: ['b', 'c']"),
                  Snapshot(LegKind::kSrtp), violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  EXPECT_TRUE(update.retire_local_key);
  EXPECT_EQ(update.local_mki.size(), 1u);
  EXPECT_EQ(update.retire_remote_keys.size(), 2u);
  update =
      ToLegUpdate(UpdateRequest("retire_remote_mkis: 'b'"), Snapshot(LegKind::kSrtp), violations);
  EXPECT_TRUE(violations.empty()) << "it needs no mask";
}

TEST(LegConvertTest, OptionsThatTheMaskNamesReplaceThePresentOnes) {
  FieldViolations violations;
  const LegUpdate update =
      ToLegUpdate(UpdateRequest("config { remote_options { cryptex: CRYPTEX_REQUIRED } } "
                                "update_mask { paths: ['local_options', 'remote_options'] }"),
                  Snapshot(LegKind::kSrtp), violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  ASSERT_TRUE(update.local_options.has_value());
  EXPECT_EQ(update.local_options->policy.cryptex, CryptexPolicy::kOff);
  EXPECT_EQ(update.remote_options->policy.cryptex, CryptexPolicy::kRequired);
}

struct BadUpdate {
  LegKind kind;
  std::string request;
  std::vector<std::string> fields;
  std::string description;
};

void ExpectUpdateRefused(const BadUpdate& test) {
  FieldViolations violations;
  ToLegUpdate(UpdateRequest(test.request), Snapshot(test.kind), violations);
  EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())), ElementsAreArray(test.fields))
      << test.request;
  EXPECT_THAT(std::string(violations.ToStatus().message()), HasSubstr(test.description))
      << test.request;
}

TEST(LegConvertTest, NamesWhatIsWrongWithAnUpdate) {
  const BadUpdate kCases[] = {
      {LegKind::kSrtp, "", {"update_mask"}, "must name what is to change"},
      {LegKind::kSrtp,
       "update_mask { paths: 'colour' }",
       {"update_mask"},
       "\"colour\" is not one of remote, remote_key, local_options, remote_options, "
       "address_learning, learning_window, payload_types, remote_ssrcs, header_extensions, "
       "remote_streams, interceptors, hold"},
      {LegKind::kSrtp,
       "update_mask { paths: 'rtcp_mux' }",
       {"update_mask"},
       "\"rtcp_mux\" is fixed for the leg's life"},
      {LegKind::kSrtp,
       "update_mask { paths: 'remote.rtp.port' }",
       {"update_mask"},
       "is not one of"},
      {LegKind::kSrtp,
       "update_mask { paths: ['remote', 'remote_key'] }",
       {"config.remote", "config.remote_key"},
       "must be given when update_mask names it"},
      {LegKind::kSrtp,
       "update_mask { paths: 'address_learning' }",
       {"config.address_learning"},
       "must be ADDRESS_LEARNING_STRICT or ADDRESS_LEARNING_LEARN"},
      {LegKind::kSrtp,
       "config { remote { rtp { ip: '::1' port: 5004 } } } update_mask { paths: 'remote' }",
       {"config.remote.rtp.ip"},
       "is IPv6, the leg is IPv4"},
      {LegKind::kSrtp,
       "config { payload_types { number: 72 clock_rate_hz: 1 } } update_mask { paths: "
       "'payload_types' }",
       {"config.payload_types[0].number"},
       "must not be 64..95"},
      {LegKind::kSrtp,
       "update_mask { paths: ['a', 'b'] }",
       {"update_mask", "update_mask"},
       "\"b\" is not one of"},
  };
  for (const BadUpdate& test : kCases) {
    ExpectUpdateRefused(test);
  }
}

TEST(LegConvertTest, NamesWhatIsWrongWithAnUpdateOfKeys) {
  const BadUpdate kCases[] = {
      {LegKind::kRtp,
       "config { " + Key("AEAD_AES_128_GCM", 28) + "} update_mask { paths: 'remote_key' }",
       {"config.remote_key"},
       "is for LEG_KIND_SRTP only"},
      {LegKind::kRtp,
       "local_key_change: LOCAL_KEY_CHANGE_PREPARE",
       {"local_key_change"},
       "is for LEG_KIND_SRTP only"},
      {LegKind::kSrtp, "local_key_change: 7", {"local_key_change"}, "must be"},
      {LegKind::kSrtp,
       "local_mki: 'a' update_mask { paths: 'hold' }",
       {"local_mki"},
       "says nothing without local_key_change"},
      {LegKind::kSrtp,
       "update_mask { paths: 'local_mki' }",
       {"update_mask"},
       "\"local_mki\" is fixed for the leg's life"},
      {LegKind::kSrtp,
       "retire_remote_mkis: ['1', '2', '3', '4', '5', '6', '7', '8', '9']",
       {"retire_remote_mkis"},
       "has 9 entries, at most 8"},
      {LegKind::kRtp,
       "retire_remote_mkis: '1' update_mask { paths: ['local_options', 'remote_options'] }",
       {"config.local_options", "config.remote_options", "retire_remote_mkis"},
       "is for LEG_KIND_SRTP only"},
  };
  for (const BadUpdate& test : kCases) {
    ExpectUpdateRefused(test);
  }
}

TEST(LegConvertTest, ALegIsShownWithoutItsKeys) {
  LegSnapshot leg = Snapshot(LegKind::kSrtp);
  leg.remote_rtp = TransportAddress{IpAddress::V4({192, 0, 2, 1}), 5004};
  leg.remote_rtcp = TransportAddress{IpAddress::V4({192, 0, 2, 1}), 5005};
  leg.remote_learned = true;
  leg.learning = AddressLearning::kLearn;
  leg.remote_suite = SuiteId::kAesCm128HmacSha1_32;
  leg.local_options = SrtpOptions{.policy = {}, .rtp_replay_window = 64};
  leg.local_keys = {{*Mki::Create(std::vector<uint8_t>{'m'}), true}};
  leg.remote_keys = {{Mki(), false}};
  leg.hold = true;
  leg.payload_types = {{PayloadType(96), "VP8", 90000}};
  leg.header_extensions = {{3, "urn:a"}};
  leg.interceptors.pacer = true;
  gateway::v1::Leg out;
  ToProto("call-1", leg, out);
  gateway::v1::Leg expected;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "session_id: 'call-1' leg_id: 'alice' kind: LEG_KIND_SRTP rtcp_mux: true "
      "local_rtp { ip: '127.0.0.1' port: 30000 } local_rtcp { ip: '127.0.0.1' port: 30000 } "
      "remote_rtp { ip: '192.0.2.1' port: 5004 } remote_rtcp { ip: '192.0.2.1' port: 5005 } "
      "remote_learned: true address_learning: ADDRESS_LEARNING_LEARN "
      "local_suite: CRYPTO_SUITE_AEAD_AES_128_GCM "
      "remote_suite: CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32 hold: true "
      "payload_types { number: 96 encoding_name: 'VP8' clock_rate_hz: 90000 } "
      "local_options { cryptex: CRYPTEX_OFF rtp_replay_window: 64 "
      "rtp_lifetime { soft: 246290604621824 hard: 281474976710656 } "
      "rtcp_lifetime { soft: 1879048192 hard: 2147483648 } } "
      "local_keys { mki: 'm' sending: true } remote_keys {} "
      "header_extensions { id: 3 uri: 'urn:a' } interceptors { rtcp: RTCP_HANDLING_FORWARD "
      "reports: false statistics: false nack: false transport_wide_feedback: false "
      "congestion_control_feedback: false bandwidth_estimator: false key_frame_requests: false "
      "pacer: true jitter_buffer: false forward_error_correction: false redundancy: false "
      "packet_log: false }",
      &expected));
  EXPECT_EQ(out.DebugString(), expected.DebugString());
}

}  // namespace
}  // namespace sluice

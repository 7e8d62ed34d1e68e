// What two ends of SRTP may agree on beside a suite and a key, with each crypto engine.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/testing/packet_builder.h"
#include "tests/e2e/engine_fixture.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/event_watcher.h"
#include "tests/e2e/libsrtp_session.h"
#include "tests/e2e/own_srtp_peer.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Stub = ControlClient::Stub;

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

// What nobody between the ends is to read.
const Bytes& Secret() {
  static const auto* const kSecret = new Bytes{0x5E, 0xC2, 0xE7, 0x01, 0x5E, 0xC2, 0xE7, 0x02};
  return *kSecret;
}

Bytes WithExtension(uint32_t ssrc, uint16_t sequence) {
  return RtpPacketBuilder()
      .WithSsrc(ssrc)
      .WithSequence(sequence)
      .WithCsrcs({0xC5C50001, 0xC5C50002})
      .AddOneByteExtension(3, Secret())
      .WithPayloadSize(160)
      .Build();
}

bool Holds(const Bytes& bytes, const Bytes& piece) {
  return std::search(bytes.begin(), bytes.end(), piece.begin(), piece.end()) != bytes.end();
}

class SrtpOptionsTest : public EngineFixture, public ::testing::WithParamInterface<EngineKind> {
 protected:
  SrtpOptionsTest() : EngineFixture(GetParam()) {}

  pb::SrtpKey ChangeLocalKey(const std::string& leg, pb::LocalKeyChange change,
                             const std::string& mki) {
    pb::UpdateLegRequest request = LegUpdateOf("call", leg, {}, {});
    request.set_local_key_change(change);
    request.set_local_mki(mki);
    return control().UpdateLeg(request).local_key();
  }

  void AddRemoteKey(const std::string& leg, const pb::SrtpKey& key) {
    pb::LegConfig config;
    *config.mutable_remote_key() = key;
    control().UpdateLeg(LegUpdateOf("call", leg, config, {"remote_key"}));
  }

  ErrorInfo Refusal(const pb::UpdateLegRequest& request) {
    pb::UpdateLegResponse response;
    return ErrorInfoOf(control().Call(&Stub::UpdateLeg, request, &response));
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, SrtpOptionsTest,
                         ::testing::Values(EngineKind::kBoringSsl, EngineKind::kIpsecMb),
                         [](const auto& test) { return EngineTestName(test.param); });

TEST_P(SrtpOptionsTest, EverySuiteThereIsCarriesBothWays) {
  if (!runs()) return;
  const auto* suites = pb::CryptoSuite_descriptor();
  for (int i = 1; i < suites->value_count(); ++i) {
    SCOPED_TRACE(suites->value(i)->name());
    OwnSrtpPeer alice({.suite = static_cast<pb::CryptoSuite>(suites->value(i)->number())});
    PlainPeer bob;
    const std::string session = absl::StrCat("call-", i);
    control().CreateSession(session);
    const pb::AddLegResponse answer = alice.Join(control(), session, "alice");
    EXPECT_EQ(answer.local_key().suite(), alice.key().suite());
    bob.Join(control(), session, "bob");
    ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 65530, 20));
    ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 20));
    ExpectRtcpArrives(alice, bob, {2, RtcpPacket(kAliceSsrc)});
    ExpectRtcpArrives(bob, alice, {2, RtcpPacket(kBobSsrc)});
    control().DeleteSession(session);
  }
}

TEST_P(SrtpOptionsTest, NullSuitesAuthenticateForThoseWhoAskForThemByName) {
  if (!runs()) return;
  SrtpPeer alice({.suite = pb::CRYPTO_SUITE_NULL_HMAC_SHA1_80, .key_number = 1});
  PlainPeer bob;
  control().CreateSession("call");
  pb::AddLegRequest request;
  request.set_session_id("call");
  request.set_leg_id("alice");
  *request.mutable_config() = alice.Config();
  pb::AddLegResponse response;
  const ErrorInfo refused = ErrorInfoOf(control().Call(&Stub::AddLeg, request, &response));
  EXPECT_EQ(refused.code, grpc::StatusCode::INVALID_ARGUMENT) << refused;
  EXPECT_THAT(refused.fields, ElementsAre("config.local_suite"))
      << "the gateway does not choose NULL by itself";

  pb::LegConfig config = alice.Config();
  config.set_local_suite(pb::CRYPTO_SUITE_NULL_HMAC_SHA1_80);
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 20));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 20));
  Bytes forged = alice.WrapRtp(RtpPacket(kAliceSsrc, 100));
  forged[20] ^= 1;
  alice.transport().SendRtp(forged);
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 101, 1));
  EXPECT_EQ(VerdictsOf(control().GetStats("call"), "alice"),
            (VerdictMap{{"auth_failed", 1}, {"forwarded", 21}, {"sent", 20}}));
}

TEST_P(SrtpOptionsTest, KeysOfTheGatewayLiveSideBySide) {
  if (!runs()) return;
  OwnSrtpPeer alice({.suite = pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_80, .mki = "\1"});
  PlainPeer bob;
  control().CreateSession("call");
  EXPECT_EQ(alice.Join(control(), "call", "alice").local_key().mki(), "\1");
  bob.Join(control(), "call", "bob");
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 10));

  const pb::SrtpKey second = ChangeLocalKey("alice", pb::LOCAL_KEY_CHANGE_PREPARE, "\2");
  EXPECT_EQ(second.mki(), "\2");
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 11, 10));
  alice.AddGatewayKey(second);
  ChangeLocalKey("alice", pb::LOCAL_KEY_CHANGE_ACTIVATE, "\2");
  alice.RetireGatewayKey("\1");
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 21, 10));
  ExpectRtcpArrives(bob, alice, {2, RtcpPacket(kBobSsrc)});

  const pb::Session session = control().GetSession("call");
  ASSERT_EQ(session.legs(0).local_keys_size(), 2);
  EXPECT_FALSE(session.legs(0).local_keys(0).sending());
  EXPECT_EQ(session.legs(0).local_keys(1).mki(), "\2");
  EXPECT_TRUE(session.legs(0).local_keys(1).sending());

  pb::UpdateLegRequest in_use = LegUpdateOf("call", "alice", {}, {});
  in_use.set_local_key_change(pb::LOCAL_KEY_CHANGE_RETIRE);
  in_use.set_local_mki("\2");
  const ErrorInfo error = Refusal(in_use);
  EXPECT_EQ(error.code, grpc::StatusCode::FAILED_PRECONDITION) << error;
  EXPECT_THAT(error.preconditions, ElementsAre("KEY_IN_USE/alice"));
  ChangeLocalKey("alice", pb::LOCAL_KEY_CHANGE_RETIRE, "\1");
  EXPECT_EQ(control().GetSession("call").legs(0).local_keys_size(), 1);
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 31, 10));
}

TEST_P(SrtpOptionsTest, KeysOfThePeerLiveSideBySideUntilTheyAreRetired) {
  if (!runs()) return;
  OwnSrtpPeer alice(
      {.suite = pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_80, .mki = std::string("\0\1\0\1", 4)});
  PlainPeer bob;
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  pb::SrtpKey second = MakeTestKey(pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_80, 2);
  second.set_mki(std::string(alice.key().mki().size(), '\2'));
  AddRemoteKey("alice", second);
  alice.AddKey(second);
  // In turn.
  for (uint16_t i = 0; i < 10; ++i) {
    alice.SendWith(i % 2 == 0 ? second.mki() : alice.key().mki());
    ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, static_cast<uint16_t>(100 + i), 1));
  }

  pb::UpdateLegRequest retire = LegUpdateOf("call", "alice", {}, {});
  retire.add_retire_remote_mkis(alice.key().mki());
  EXPECT_EQ(control().UpdateLeg(retire).leg().remote_keys_size(), 1);
  alice.SendWith(alice.key().mki());
  alice.SendRtp(RtpPacket(kAliceSsrc, 200));
  alice.SendWith(second.mki());
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 201, 5));
  EXPECT_EQ(VerdictsOf(control().GetStats("call"), "alice"),
            (VerdictMap{{"forwarded", 15}, {"unknown_mki", 1}}));
  retire.set_retire_remote_mkis(0, second.mki());
  EXPECT_THAT(Refusal(retire).fields, ElementsAre("retire_remote_mkis[0]")) << "the only one left";
}

TEST_P(SrtpOptionsTest, CryptexHidesExtensionsAndCsrcsBetweenTwoLegsThatRequireIt) {
  if (!runs()) return;
  pb::SrtpOptions cryptex;
  cryptex.set_cryptex(pb::CRYPTEX_REQUIRED);
  OwnSrtpPeer alice({.suite = pb::CRYPTO_SUITE_AEAD_AES_256_GCM, .key_number = 1, .srtp = cryptex});
  OwnSrtpPeer bob(
      {.suite = pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, .key_number = 2, .srtp = cryptex});
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  std::vector<Bytes> packets;
  for (uint16_t i = 0; i < 20; ++i) {
    packets.push_back(WithExtension(kAliceSsrc, i));
  }
  ExpectRtpArrives(alice, bob, packets);
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 5));
  for (const Bytes& datagram : bob.transport().captured()) {
    EXPECT_FALSE(Holds(datagram, Secret())) << "readable on the wire";
    EXPECT_FALSE(Holds(datagram, {0xC5, 0xC5, 0x00, 0x01})) << "a CSRC is readable";
  }

  // Somebody with the right key who hides nothing.
  LibsrtpSender careless(alice.key());
  alice.transport().SendRtp(careless.ProtectRtp(WithExtension(kAliceSsrc, 100)));
  ExpectRtpArrives(alice, bob, {WithExtension(kAliceSsrc, 101)});
  EXPECT_EQ(VerdictOf(control().GetStats("call"), "alice", "cryptex_refused"), 1u);
}

TEST_P(SrtpOptionsTest, ExtensionsAreEncryptedByIdAndKeysDerivedAtARate) {
  if (!runs()) return;
  pb::SrtpOptions options;
  options.add_encrypted_extension_ids(3);
  options.set_key_derivation_rate(16);
  options.set_unencrypted_rtcp(true);
  OwnSrtpPeer alice({.suite = pb::CRYPTO_SUITE_AEAD_AES_128_GCM, .srtp = options});
  PlainPeer bob;
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  std::vector<Bytes> packets;
  for (uint16_t i = 0; i < 50; ++i) {
    packets.push_back(WithExtension(kBobSsrc, i));
  }
  ExpectRtpArrives(bob, alice, packets);
  ExpectRtpArrives(alice, bob, packets);
  ExpectRtcpArrives(bob, alice, {2, RtcpPacket(kBobSsrc)});
  ExpectRtcpArrives(alice, bob, {2, RtcpPacket(kAliceSsrc)});
  size_t readable_reports = 0;
  const Bytes name = {'p', 'e', 'e', 'r', '@'};
  for (const Bytes& datagram : alice.transport().captured()) {
    EXPECT_FALSE(Holds(datagram, Secret()));
    readable_reports += Holds(datagram, name) ? 1 : 0;
  }
  EXPECT_EQ(readable_reports, 2u) << "SRTCP is readable where that was agreed on";
}

TEST_P(SrtpOptionsTest, LimitsOfKeysAreToldAndCountedAndANewKeyGoesOn) {
  if (!runs()) return;
  EventWatcher watcher(control());
  OwnSrtpPeer alice({.suite = pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80});
  PlainPeer bob;
  control().CreateSession("call");
  pb::LegConfig config = alice.Config();
  config.mutable_remote_options()->mutable_rtp_lifetime()->set_hard(16);
  config.mutable_local_options()->mutable_rtp_lifetime()->set_soft(5);
  config.mutable_local_options()->mutable_rtp_lifetime()->set_hard(10);
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");
  const auto expect_limit = [&](pb::Direction direction, pb::KeyLimit limit) {
    const pb::KeyLimitReached reached =
        watcher.Await(pb::Event::kKeyLimitReached, "call", "alice").key_limit_reached();
    EXPECT_EQ(reached.direction(), direction);
    EXPECT_EQ(reached.limit(), limit);
  };

  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 14));
  expect_limit(pb::DIRECTION_RECEIVED, pb::KEY_LIMIT_SOFT);
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 15, 2));
  alice.SendRtp(RtpPacket(kAliceSsrc, 17));
  expect_limit(pb::DIRECTION_RECEIVED, pb::KEY_LIMIT_HARD);

  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 5));
  expect_limit(pb::DIRECTION_SENT, pb::KEY_LIMIT_SOFT);
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 6, 5));
  bob.SendRtp(RtpPacket(kBobSsrc, 11));
  expect_limit(pb::DIRECTION_SENT, pb::KEY_LIMIT_HARD);
  EXPECT_EQ(
      VerdictsOf(control().GetStats("call"), "alice"),
      (VerdictMap{
          {"forwarded", 16}, {"receive_rekey_needed", 1}, {"send_rekey_needed", 1}, {"sent", 10}}));

  const pb::SrtpKey next = MakeTestKey(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, 9);
  AddRemoteKey("alice", next);
  alice.ChangeKey(next);
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 18, 5));
  alice.AddGatewayKey(ChangeLocalKey("alice", pb::LOCAL_KEY_CHANGE_PREPARE, ""));
  ChangeLocalKey("alice", pb::LOCAL_KEY_CHANGE_ACTIVATE, "");
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 12, 4));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 16, 1));
  expect_limit(pb::DIRECTION_SENT, pb::KEY_LIMIT_SOFT);
}

TEST_P(SrtpOptionsTest, OptionsComeWithTheAnswerAndStayOnceTheyAreInUse) {
  if (!runs()) return;
  pb::SrtpOptions cryptex;
  cryptex.set_cryptex(pb::CRYPTEX_REQUIRED);
  OwnSrtpPeer alice({.srtp = cryptex});
  PlainPeer bob;
  control().CreateSession("call");
  // An offer: nothing is known of alice yet, but she gets a key.
  pb::LegConfig offer;
  offer.set_kind(pb::LEG_KIND_SRTP);
  offer.set_rtcp_mux(true);
  alice.Join(control(), "call", "alice", offer);
  bob.Join(control(), "call", "bob");
  control().UpdateLeg(LegUpdateOf("call", "alice", alice.Config(),
                                  {"remote", "remote_key", "local_options", "remote_options"}));
  const pb::Session session = control().GetSession("call");
  EXPECT_EQ(session.legs(0).local_options().cryptex(), pb::CRYPTEX_REQUIRED);
  EXPECT_EQ(session.legs(0).remote_options().cryptex(), pb::CRYPTEX_REQUIRED);
  ExpectRtpArrives(bob, alice, {WithExtension(kBobSsrc, 1)});
  ExpectRtpArrives(alice, bob, {WithExtension(kAliceSsrc, 1)});

  // The same again changes nothing.
  control().UpdateLeg(
      LegUpdateOf("call", "alice", alice.Config(), {"local_options", "remote_options"}));
  for (const char* path : {"local_options", "remote_options"}) {
    const ErrorInfo error = Refusal(LegUpdateOf("call", "alice", {}, {path}));
    EXPECT_EQ(error.code, grpc::StatusCode::FAILED_PRECONDITION) << error;
    EXPECT_THAT(error.preconditions, ElementsAre("OPTIONS_IN_USE/alice")) << path;
  }
  ExpectRtpArrives(bob, alice, {WithExtension(kBobSsrc, 2)});
}

}  // namespace
}  // namespace sluice

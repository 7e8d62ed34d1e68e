// New keys in the middle of a call, in both directions, without a packet lost.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/event_watcher.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

class KeyUpdateTest : public GatewayFixture, public ::testing::WithParamInterface<pb::CryptoSuite> {
 protected:
  KeyUpdateTest() : alice_({.suite = GetParam(), .key_number = 1}) {}

  void SetUp() override {
    GatewayFixture::SetUp();
    control().CreateSession("call");
    first_key_ = alice_.Join(control(), "call", "alice").local_key();
    bob_.Join(control(), "call", "bob");
  }

  pb::UpdateLegResponse ChangeLocalKey(pb::LocalKeyChange change) {
    pb::UpdateLegRequest request = LegUpdateOf("call", "alice", {}, {});
    request.set_local_key_change(change);
    return control().UpdateLeg(request);
  }

  void ChangeRemoteKey(const pb::SrtpKey& key) {
    pb::LegConfig config;
    *config.mutable_remote_key() = key;
    control().UpdateLeg(LegUpdateOf("call", "alice", config, {"remote_key"}));
  }

  void LetSecondsPass(int seconds) {
    EventWatcher watcher(control());
    pb::SessionConfig config;
    config.mutable_absolute_timeout()->set_seconds(seconds);
    control().CreateSession("clock", config);
    watcher.Await(pb::Event::kSessionEnded, "clock");
  }

  SrtpPeer alice_;
  PlainPeer bob_;
  pb::SrtpKey first_key_;
};

TEST_P(KeyUpdateTest, TheGatewaysKeyChangesInTwoSteps) {
  // The stream wraps during the change: the rollover counter has to go on under the new key.
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 32700, 1));
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 65400, 100));
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 65500, 50));

  const pb::SrtpKey second_key = ChangeLocalKey(pb::LOCAL_KEY_CHANGE_PREPARE).local_key();
  EXPECT_EQ(second_key.suite(), first_key_.suite());
  EXPECT_NE(second_key.master_key_and_salt(), first_key_.master_key_and_salt());
  // Prepared is not in use: alice has not got it yet, and loses nothing.
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 14, 50));
  EXPECT_THAT(alice_.opened(), ElementsAre(201));

  alice_.AddGatewayKey(second_key);
  for (const Bytes& packet : RtpRun(kBobSsrc, 64, 50)) {
    bob_.SendRtp(packet);
  }
  EXPECT_FALSE(ChangeLocalKey(pb::LOCAL_KEY_CHANGE_ACTIVATE).has_local_key());
  for (const Bytes& packet : RtpRun(kBobSsrc, 114, 50)) {
    bob_.SendRtp(packet);
  }
  for (uint16_t i = 64; i < 164; ++i) {
    ASSERT_EQ(alice_.ReceiveRtp(), RtpPacket(kBobSsrc, i)) << "packet " << i;
  }
  EXPECT_EQ(alice_.opened()[0] + alice_.opened()[1], 301u);
  EXPECT_GE(alice_.opened()[1], 50u) << "what was sent after ACTIVATE uses the new key";
  ExpectRtcpArrives(bob_, alice_, {3, RtcpPacket(kBobSsrc)});
  EXPECT_EQ(VerdictsOf(control().GetStats("call"), "alice"), (VerdictMap{{"sent", 304}}));
}

TEST_P(KeyUpdateTest, PacketsWithThePeersOldKeyAreStillTakenWhileOnTheirWay) {
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 32700, 1));
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 65400, 100));
  std::vector<Bytes> on_their_way;
  for (const Bytes& packet : RtpRun(kAliceSsrc, 65500, 50)) {
    on_their_way.push_back(alice_.WrapRtp(packet));
  }
  const Bytes report_on_its_way = alice_.WrapRtcp(RtcpPacket(kAliceSsrc));

  const pb::SrtpKey second_key = MakeTestKey(GetParam(), 2);
  ChangeRemoteKey(second_key);
  alice_.ChangeKey(second_key);
  // One with the old, one with the new key, in turn.
  for (size_t i = 0; i < on_their_way.size(); ++i) {
    alice_.transport().SendRtp(on_their_way[i]);
    alice_.SendRtp(RtpPacket(kAliceSsrc, static_cast<uint16_t>(65550 + i)));
  }
  for (size_t i = 0; i < on_their_way.size(); ++i) {
    ASSERT_EQ(bob_.ReceiveRtp(), RtpPacket(kAliceSsrc, static_cast<uint16_t>(65500 + i)));
    ASSERT_EQ(bob_.ReceiveRtp(), RtpPacket(kAliceSsrc, static_cast<uint16_t>(65550 + i)));
  }
  alice_.transport().SendRtcp(report_on_its_way);
  EXPECT_EQ(bob_.ReceiveRtcp(), RtcpPacket(kAliceSsrc));
  ExpectRtcpArrives(alice_, bob_, {RtcpPacket(kAliceSsrc)});

  // One replay window for both keys: nothing can be played again under either.
  for (const Bytes& wire : on_their_way) {
    alice_.transport().SendRtp(wire);
  }
  alice_.transport().SendRtcp(report_on_its_way);
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 64, 10));
  EXPECT_TRUE(bob_.transport().NothingWaits());
  EXPECT_EQ(VerdictsOf(control().GetStats("call"), "alice"),
            (VerdictMap{{"forwarded", 213}, {"replayed", 51}}));
}

TEST_P(KeyUpdateTest, ThePeersOldKeyIsWorthlessAfterTwoSeconds) {
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 100, 10));
  const Bytes late = alice_.WrapRtp(RtpPacket(kAliceSsrc, 110));
  const pb::SrtpKey second_key = MakeTestKey(GetParam(), 2);
  ChangeRemoteKey(second_key);
  alice_.ChangeKey(second_key);
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 111, 10));
  LetSecondsPass(3);

  alice_.transport().SendRtp(late);
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 121, 10));
  EXPECT_TRUE(bob_.transport().NothingWaits());
  EXPECT_EQ(VerdictsOf(control().GetStats("call"), "alice"),
            (VerdictMap{{"auth_failed", 1}, {"forwarded", 30}}));
}

TEST_P(KeyUpdateTest, BothDirectionsChangeAtOnce) {
  ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 1, 20));
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 1, 20));
  for (uint32_t round = 0; round < 3; ++round) {
    const pb::SrtpKey new_key = MakeTestKey(GetParam(), 10 + round);
    pb::LegConfig config;
    *config.mutable_remote_key() = new_key;
    pb::UpdateLegRequest request = LegUpdateOf("call", "alice", config, {"remote_key"});
    request.set_local_key_change(pb::LOCAL_KEY_CHANGE_PREPARE);
    alice_.AddGatewayKey(control().UpdateLeg(request).local_key());
    alice_.ChangeKey(new_key);
    ChangeLocalKey(pb::LOCAL_KEY_CHANGE_ACTIVATE);
    const auto sequence = static_cast<uint16_t>(100 + 100 * round);
    ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, sequence, 20));
    ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, sequence, 20));
  }
  EXPECT_THAT(alice_.opened(), ElementsAre(20, 20, 20, 20));
}

TEST_P(KeyUpdateTest, ActivateNeedsAPreparedKey) {
  pb::UpdateLegRequest request = LegUpdateOf("call", "alice", {}, {});
  request.set_local_key_change(pb::LOCAL_KEY_CHANGE_ACTIVATE);
  pb::UpdateLegResponse response;
  const ErrorInfo error =
      ErrorInfoOf(control().Call(&ControlClient::Stub::UpdateLeg, request, &response));
  EXPECT_EQ(error.code, grpc::StatusCode::FAILED_PRECONDITION) << error;
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 1, 20));
}

INSTANTIATE_TEST_SUITE_P(OneOfEachCipher, KeyUpdateTest,
                         ::testing::Values(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80,
                                           pb::CRYPTO_SUITE_AEAD_AES_256_GCM),
                         [](const auto& suite) {
                           return suite.param == pb::CRYPTO_SUITE_AEAD_AES_256_GCM ? "Gcm"
                                                                                   : "CounterMode";
                         });

}  // namespace
}  // namespace sluice

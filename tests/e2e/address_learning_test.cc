// Whom the gateway sends to: what an attacker sends must never move it (RTP bleed), and what he
// sends must never be forwarded (RTP inject).

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/event_watcher.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

class AddressLearningTest : public GatewayFixture {
 protected:
  void SetUp() override {
    GatewayFixture::SetUp();
    for (std::optional<PeerSocket>* socket : {&attacker_, &other_host_}) {
      absl::StatusOr<PeerSocket> opened =
          PeerSocket::Open(socket == &attacker_ ? "127.0.0.1" : "127.0.0.2");
      ASSERT_TRUE(opened.ok()) << opened.status();
      *socket = *std::move(opened);
    }
    control().CreateSession("call");
  }

  // Everything an attacker may try who sees the call's ports but not its keys: plain packets with
  // the right SSRC, forged ones, replays of what alice sent, RTCP. All are on their way to the
  // gateway when this returns.
  void Spray(const PeerSocket& from, MediaPeer& victim, const std::vector<Bytes>& overheard) {
    LibsrtpSender stranger(MakeTestKey(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, 66));
    std::vector<Bytes> datagrams = overheard;
    for (uint16_t i = 0; i < 8; ++i) {
      datagrams.push_back(RtpPacket(kAliceSsrc, 500 + i));
      datagrams.push_back(stranger.ProtectRtp(RtpPacket(kAliceSsrc, 600 + i)));
    }
    datagrams.push_back(RtcpPacket(kAliceSsrc));
    datagrams.push_back(stranger.ProtectRtcp(RtcpPacket(kAliceSsrc)));
    for (const Bytes& datagram : datagrams) {
      from.Send(victim.transport().gateway_rtp(), datagram);
      if (!victim.transport().rtcp_mux()) {
        from.Send(victim.transport().gateway_rtcp(), datagram);
      }
    }
  }

  // Bob's packets go to alice and nobody else, hers and no others to him.
  void ExpectOnlyTheTwoTalk(MediaPeer& alice, MediaPeer& bob, uint16_t sequence) {
    ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, sequence, 10));
    ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, sequence, 10));
    EXPECT_TRUE(bob.transport().NothingWaits()) << "bob got what alice did not send";
    EXPECT_TRUE(attacker_->TakeWaiting().empty()) << "the attacker got media";
    EXPECT_TRUE(other_host_->TakeWaiting().empty()) << "the attacker got media";
  }

  // Returns when the gateway's clock has gone on by at least a second: a session that may live that
  // long has ended.
  void LetASecondPass() {
    EventWatcher watcher(control());
    pb::SessionConfig config;
    config.mutable_absolute_timeout()->set_seconds(1);
    const std::string id = "clock" + std::to_string(++clocks_);
    control().CreateSession(id, config);
    watcher.Await(pb::Event::kSessionEnded, id);
  }

  pb::TransportAddress SignalledAddress(absl::string_view leg_id) {
    const pb::Session session = control().GetSession("call");
    for (const pb::Leg& leg : session.legs()) {
      if (leg.leg_id() == leg_id) {
        return leg.remote_rtp();
      }
    }
    return {};
  }

  std::optional<PeerSocket> attacker_;
  std::optional<PeerSocket> other_host_;
  int clocks_ = 0;
};

// Names for comparison: messages have no ==.
std::string Text(const pb::TransportAddress& address) { return address.ShortDebugString(); }

TEST_F(AddressLearningTest, SrtpWithoutSignalledAddressLearnsFromWhatAuthenticates) {
  EventWatcher watcher(control());
  SrtpPeer alice;
  PlainPeer bob;
  pb::LegConfig config = alice.Config();
  config.clear_remote();
  const pb::Leg leg = alice.Join(control(), "call", "alice", config).leg();
  bob.Join(control(), "call", "bob");
  EXPECT_EQ(leg.address_learning(), pb::ADDRESS_LEARNING_LEARN);
  EXPECT_FALSE(leg.has_remote_rtp());

  Spray(*attacker_, alice, {});
  // Nobody authenticated, so bob's packets go nowhere yet.
  bob.SendRtp(RtpPacket(kBobSsrc, 1));
  control().AwaitStats("call", "counted bob's early packet", [](const pb::SessionStats& now) {
    return VerdictOf(now, "bob", "no_destination") == 1;
  });
  EXPECT_EQ(Text(SignalledAddress("alice")), "");

  std::vector<Bytes> overheard;
  for (const Bytes& packet : RtpRun(kAliceSsrc, 10, 10)) {
    overheard.push_back(alice.WrapRtp(packet));
    alice.transport().SendRtp(overheard.back());
    EXPECT_EQ(bob.ReceiveRtp(), packet);
  }
  const pb::RemoteAddressChanged changed =
      watcher.Await(pb::Event::kRemoteAddressChanged, "call", "alice").remote_address_changed();
  EXPECT_FALSE(changed.has_old_rtp());
  EXPECT_EQ(Text(changed.new_rtp()), Text(alice.transport().Remote().rtp()));

  // Within the window still: replays, forgeries and plain packets move nothing.
  Spray(*attacker_, alice, overheard);
  Spray(*other_host_, alice, overheard);
  ExpectOnlyTheTwoTalk(alice, bob, 1000);
  EXPECT_EQ(Text(SignalledAddress("alice")), Text(alice.transport().Remote().rtp()));
  const pb::Session session = control().GetSession("call");
  EXPECT_TRUE(session.legs(0).leg_id() == "alice" ? session.legs(0).remote_learned()
                                                  : session.legs(1).remote_learned());
}

TEST_F(AddressLearningTest, SrtpFollowsAPeerThatMovesInsideTheWindow) {
  EventWatcher watcher(control());
  SrtpPeer alice;
  PlainPeer bob;
  pb::LegConfig config = alice.Config();
  config.set_address_learning(pb::ADDRESS_LEARNING_LEARN);
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 10));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 10));

  const std::string before = Text(alice.transport().Remote().rtp());
  alice.transport().Move();
  // A single packet from elsewhere may be an old one that was held back; several are a move.
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 100, 10));
  const pb::RemoteAddressChanged changed =
      watcher.Await(pb::Event::kRemoteAddressChanged, "call", "alice").remote_address_changed();
  EXPECT_EQ(Text(changed.old_rtp()), before);
  EXPECT_EQ(Text(changed.new_rtp()), Text(alice.transport().Remote().rtp()));

  Spray(*attacker_, alice, {});
  ExpectOnlyTheTwoTalk(alice, bob, 1000);
}

TEST_F(AddressLearningTest, SrtpFollowsNobodyAfterTheWindow) {
  SrtpPeer alice;
  PlainPeer bob;
  pb::LegConfig config = alice.Config();
  config.set_address_learning(pb::ADDRESS_LEARNING_LEARN);
  config.mutable_learning_window()->set_seconds(1);
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");
  const std::string before = Text(alice.transport().Remote().rtp());
  ExpectOnlyTheTwoTalk(alice, bob, 1);
  LetASecondPass();

  // Even with her own keys.
  for (const Bytes& packet : RtpRun(kAliceSsrc, 100, 10)) {
    attacker_->Send(alice.transport().gateway_rtp(), alice.WrapRtp(packet));
  }
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 100, 20));
  EXPECT_EQ(Text(SignalledAddress("alice")), before);
  EXPECT_TRUE(attacker_->TakeWaiting().empty());
}

TEST_F(AddressLearningTest, SignallingOpensTheWindowAgain) {
  SrtpPeer alice;
  PlainPeer bob;
  pb::LegConfig config = alice.Config();
  config.set_address_learning(pb::ADDRESS_LEARNING_LEARN);
  config.mutable_learning_window()->set_seconds(1);
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");
  ExpectOnlyTheTwoTalk(alice, bob, 1);
  LetASecondPass();

  config.mutable_learning_window()->set_seconds(60);
  control().UpdateLeg(LegUpdateOf("call", "alice", config, {"learning_window"}));
  EventWatcher watcher(control());
  alice.transport().Move();
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 100, 10));
  watcher.Await(pb::Event::kRemoteAddressChanged, "call", "alice");
  ExpectOnlyTheTwoTalk(alice, bob, 1000);
}

TEST_F(AddressLearningTest, StrictLegsBelieveTheSignalledAddressOnly) {
  PlainPeer alice({.rtcp_mux = false});
  SrtpPeer bob({.transport = {.rtcp_mux = false}});
  const pb::Leg leg = alice.Join(control(), "call", "alice").leg();
  bob.Join(control(), "call", "bob");
  EXPECT_EQ(leg.address_learning(), pb::ADDRESS_LEARNING_STRICT) << "strict is the default";

  Spray(*attacker_, alice, {});
  Spray(*other_host_, alice, {});
  Spray(*attacker_, bob, {});
  ExpectOnlyTheTwoTalk(alice, bob, 1);
  Spray(*attacker_, alice, {});
  Spray(*attacker_, bob, {});
  ExpectOnlyTheTwoTalk(alice, bob, 1000);
  // 18 datagrams a spray, to each of two ports; all counted as what they are.
  const pb::SessionStats stats =
      control().AwaitStats("call", "counted the spray", [](const pb::SessionStats& now) {
        return LegOf(now, "alice").packets_received() == 3 * 36 + 20 &&
               LegOf(now, "bob").packets_received() == 2 * 36 + 20;
      });
  for (const char* leg_id : {"alice", "bob"}) {
    VerdictMap verdicts = VerdictsOf(stats, leg_id);
    EXPECT_EQ(verdicts["forwarded"], 20u);
    EXPECT_EQ(verdicts["sent"], 20u);
    // Looked at before the source: whether it is well formed and at the right port.
    EXPECT_EQ(verdicts["unexpected_source"] + verdicts["wrong_port"] + verdicts["malformed"],
              LegOf(stats, leg_id).packets_received() - 20)
        << leg_id;
    EXPECT_GE(verdicts["unexpected_source"], 30u) << leg_id;
  }
}

TEST_F(AddressLearningTest, PlainLegsLearnOnlyFromTheSignalledHost) {
  EventWatcher watcher(control());
  PlainPeer alice;
  PlainPeer bob;
  // As behind a NAT that keeps the address and changes the port.
  pb::LegConfig config = alice.Config();
  config.set_address_learning(pb::ADDRESS_LEARNING_LEARN);
  absl::StatusOr<PeerSocket> signalled = PeerSocket::Open("127.0.0.1");
  ASSERT_TRUE(signalled.ok()) << signalled.status();
  *config.mutable_remote()->mutable_rtp() = signalled->address();
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");

  Spray(*other_host_, alice, {});
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 3));
  EXPECT_EQ(Text(watcher.Await(pb::Event::kRemoteAddressChanged, "call", "alice")
                     .remote_address_changed()
                     .new_rtp()),
            Text(alice.transport().Remote().rtp()));
  // The first packet settled it: inside the window, too, nobody moves it a second time.
  Spray(*attacker_, alice, {});
  Spray(*other_host_, alice, {});
  ExpectOnlyTheTwoTalk(alice, bob, 1000);
}

TEST_F(AddressLearningTest, PlainLegsLearnNothingFromRtcpAlone) {
  PlainPeer alice({.rtcp_mux = false});
  PlainPeer bob({.rtcp_mux = false});
  pb::LegConfig config = alice.Config();
  config.set_address_learning(pb::ADDRESS_LEARNING_LEARN);
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");

  for (int i = 0; i < 10; ++i) {
    attacker_->Send(alice.transport().gateway_rtp(), RtcpPacket(kAliceSsrc));
  }
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 10));
  EXPECT_EQ(Text(SignalledAddress("alice")), Text(alice.transport().Remote().rtp()));
  ExpectOnlyTheTwoTalk(alice, bob, 1000);
}

TEST_F(AddressLearningTest, PlainLegsLearnNothingAfterTheWindow) {
  PlainPeer alice;
  PlainPeer bob;
  pb::LegConfig config = alice.Config();
  config.set_address_learning(pb::ADDRESS_LEARNING_LEARN);
  config.mutable_learning_window()->set_seconds(1);
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");
  LetASecondPass();

  Spray(*attacker_, alice, {});
  ExpectOnlyTheTwoTalk(alice, bob, 1000);
}

}  // namespace
}  // namespace sluice

// Packets that must not get through: dropped, counted under the right verdict, and without effect
// on the call.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

// A call between alice, who speaks SRTP, and bob, who does not; ten packets of hers have passed.
class HostilePacketsTest : public GatewayFixture,
                           public ::testing::WithParamInterface<pb::CryptoSuite> {
 protected:
  HostilePacketsTest()
      : alice_({.suite = GetParam(), .transport = {.rtcp_mux = false}}),
        bob_(PeerOptions{.rtcp_mux = false}) {}

  void SetUp() override {
    GatewayFixture::SetUp();
    control().CreateSession("call");
    alice_.Join(control(), "call", "alice");
    bob_.Join(control(), "call", "bob");
    ExpectRtpArrives(alice_, bob_, RtpRun(kAliceSsrc, 1000, 10));
  }

  // A packet with the next sequence number as alice would send it, for an attacker to change.
  Bytes NextWire() { return alice_.WrapRtp(RtpPacket(kAliceSsrc, sequence_++)); }

  // After a hostile packet: a good one still passes, and since a socket is served in order,
  // whatever came of the hostile one would be there before it.
  void ExpectOnlyTheNextPacketPasses() {
    ExpectRtpArrives(alice_, bob_, {RtpPacket(kAliceSsrc, sequence_++)});
    EXPECT_TRUE(bob_.transport().NothingWaits());
    EXPECT_TRUE(alice_.transport().NothingWaits());
  }

  // Of alice's leg, without what was forwarded.
  VerdictMap Rejects() {
    VerdictMap verdicts = VerdictsOf(control().GetStats("call"), "alice");
    verdicts.erase("forwarded");
    return verdicts;
  }

  SrtpPeer alice_;
  PlainPeer bob_;
  uint16_t sequence_ = 1010;
};

TEST_P(HostilePacketsTest, ReplayedPacketsAreNotForwarded) {
  const Bytes wire = NextWire();
  alice_.transport().SendRtp(wire);
  EXPECT_EQ(bob_.ReceiveRtp().size(), wire.size() - RtpTagSize(GetParam()));
  for (int i = 0; i < 3; ++i) {
    alice_.transport().SendRtp(wire);
  }
  ExpectOnlyTheNextPacketPasses();
  EXPECT_EQ(Rejects(), (VerdictMap{{"replayed", 3}}));
  EXPECT_EQ(LegOf(control().GetStats("call"), "alice").last_reject(), "replayed");
}

TEST_P(HostilePacketsTest, ReplayedRtcpIsNotForwarded) {
  const Bytes report = RtcpPacket(kAliceSsrc);
  const Bytes wire = alice_.WrapRtcp(report);
  for (int i = 0; i < 3; ++i) {
    alice_.transport().SendRtcp(wire);
  }
  EXPECT_EQ(bob_.ReceiveRtcp(), report);
  ExpectRtcpArrives(alice_, bob_, {RtcpPacket(kAliceSsrc)});
  EXPECT_TRUE(bob_.transport().NothingWaits());
  EXPECT_EQ(Rejects(), (VerdictMap{{"replayed", 2}}));
}

TEST_P(HostilePacketsTest, ForgedPacketsAreNotForwarded) {
  // Every byte that matters, changed once: header, payload, tag.
  const Bytes wire = NextWire();
  uint64_t forged = 0;
  for (const size_t position : {1, 4, 12, 100, static_cast<int>(wire.size()) - 1}) {
    Bytes changed = wire;
    changed[position] ^= 0x01;
    alice_.transport().SendRtp(changed);
    ++forged;
  }
  // And one under a key that nobody has.
  LibsrtpSender stranger(MakeTestKey(GetParam(), 99));
  alice_.transport().SendRtp(stranger.ProtectRtp(RtpPacket(kAliceSsrc, 1012)));
  ++forged;
  // The packet itself is still good: the attempts left no trace in the replay window.
  alice_.transport().SendRtp(wire);
  EXPECT_EQ(bob_.ReceiveRtp(), RtpPacket(kAliceSsrc, 1010));
  sequence_ = 1013;
  ExpectOnlyTheNextPacketPasses();
  EXPECT_EQ(Rejects(), (VerdictMap{{"auth_failed", forged}}));
}

TEST_P(HostilePacketsTest, ForgedRtcpIsNotForwarded) {
  Bytes wire = alice_.WrapRtcp(RtcpPacket(kAliceSsrc));
  wire[20] ^= 0x01;
  alice_.transport().SendRtcp(wire);
  ExpectRtcpArrives(alice_, bob_, {RtcpPacket(kAliceSsrc)});
  EXPECT_TRUE(bob_.transport().NothingWaits());
  EXPECT_EQ(Rejects(), (VerdictMap{{"auth_failed", 1}}));
}

TEST_P(HostilePacketsTest, RtcpInTheClearIsNotForwarded) {
  LibsrtpSender clear(alice_.key(), LibsrtpSender::Rtcp::kInTheClear);
  alice_.transport().SendRtcp(clear.ProtectRtcp(RtcpPacket(kAliceSsrc)));
  const pb::SessionStats stats = control().AwaitStats(
      "call", "counted RTCP in the clear",
      [](const pb::SessionStats& now) { return LegOf(now, "alice").packets_received() == 11; });
  EXPECT_EQ(VerdictOf(stats, "alice", "unencrypted"), 1u);
  EXPECT_TRUE(bob_.transport().NothingWaits());
}

TEST_P(HostilePacketsTest, PacketsBelowTheReplayWindowAreNotForwarded) {
  const Bytes late = NextWire();
  sequence_ += 2000;
  ExpectRtpArrives(alice_, bob_, {RtpPacket(kAliceSsrc, sequence_++)});
  alice_.transport().SendRtp(late);
  ExpectOnlyTheNextPacketPasses();
  EXPECT_EQ(Rejects(), (VerdictMap{{"too_old", 1}}));
}

TEST_P(HostilePacketsTest, GoodPacketsFromElsewhereAreNotForwarded) {
  absl::StatusOr<PeerSocket> attacker = PeerSocket::Open("127.0.0.1");
  ASSERT_TRUE(attacker.ok()) << attacker.status();
  const Bytes wire = NextWire();
  attacker->Send(alice_.transport().gateway_rtp(), wire);
  attacker->Send(alice_.transport().gateway_rtcp(), alice_.WrapRtcp(RtcpPacket(kAliceSsrc)));
  control().AwaitStats("call", "counted two packets from elsewhere",
                       [](const pb::SessionStats& now) {
                         return VerdictOf(now, "alice", "unexpected_source") == 2;
                       });
  // From its own sender the same packet is welcome: the other one was not even opened.
  alice_.transport().SendRtp(wire);
  EXPECT_EQ(bob_.ReceiveRtp(), RtpPacket(kAliceSsrc, 1010));
  ExpectOnlyTheNextPacketPasses();
  EXPECT_EQ(Rejects(), (VerdictMap{{"unexpected_source", 2}}));
  ExpectRtpArrives(bob_, alice_, RtpRun(kBobSsrc, 1, 10));
  EXPECT_TRUE(attacker->TakeWaiting().empty());
}

TEST_P(HostilePacketsTest, WhatIsNoMediaIsCountedAsThat) {
  Bytes stun_request(20);
  stun_request[1] = 0x01;
  Bytes dtls_hello(100);
  dtls_hello[0] = 22;
  dtls_hello[1] = 0xfe;
  for (const Bytes& datagram : {stun_request, dtls_hello, Bytes{0x40, 1, 2, 3}, Bytes(13, 0xff)}) {
    alice_.transport().SendRtp(datagram);
  }
  ExpectOnlyTheNextPacketPasses();
  EXPECT_EQ(Rejects(), (VerdictMap{{"not_media", 4}}));
}

TEST_P(HostilePacketsTest, MalformedPacketsAreCountedAsThat) {
  const std::vector<Bytes> malformed = {
      // Shorter than a header.
      Bytes{0x80, 0x00, 0x12},
      Bytes(11, 0x80),
      // 15 CSRCs in no bytes (RFC 3550 section 5.1).
      Bytes{0x8f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
      // An extension of 65535 words in no bytes (RFC 3550 section 5.3.1).
      Bytes{0x90, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0xbe, 0xde, 0xff, 0xff},
  };
  for (const Bytes& datagram : malformed) {
    alice_.transport().SendRtp(datagram);
  }
  ExpectOnlyTheNextPacketPasses();
  EXPECT_EQ(Rejects(), (VerdictMap{{"malformed", malformed.size()}}));
}

TEST_P(HostilePacketsTest, DatagramsLongerThanASlotAreCountedAsTruncated) {
  Bytes datagram = NextWire();
  datagram.resize(9000);
  alice_.transport().SendRtp(datagram);
  ExpectOnlyTheNextPacketPasses();
  EXPECT_EQ(Rejects(), (VerdictMap{{"truncated", 1}}));
}

TEST_P(HostilePacketsTest, NoPrefixAndNoHeaderOfAGoodPacketPasses) {
  const Bytes wire = NextWire();
  uint64_t sent = 0;
  const auto send = [&](const Bytes& datagram) {
    alice_.transport().SendRtp(datagram);
    // Well below what the gateway's socket holds.
    if (++sent % 64 == 0) {
      ExpectOnlyTheNextPacketPasses();
    }
  };
  for (size_t size = 0; size < wire.size(); ++size) {
    send(Bytes(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  // Every version, padding bit, extension bit and CSRC count.
  for (int first = 0; first < 256; ++first) {
    Bytes datagram = wire;
    datagram[0] = static_cast<uint8_t>(first);
    if (datagram != wire) {
      send(datagram);
    }
  }
  // Extensions of every length around the packet's own.
  for (uint32_t words = 0; words < 64; ++words) {
    Bytes datagram = wire;
    datagram[0] |= 0x10;
    datagram[12] = 0xbe;
    datagram[13] = 0xde;
    datagram[14] = 0;
    datagram[15] = static_cast<uint8_t>(words);
    send(datagram);
  }
  ExpectOnlyTheNextPacketPasses();
  uint64_t rejected = 0;
  for (const auto& [verdict, count] : Rejects()) {
    rejected += count;
  }
  EXPECT_EQ(rejected, sent);
}

INSTANTIATE_TEST_SUITE_P(OneOfEachCipher, HostilePacketsTest,
                         ::testing::Values(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80,
                                           pb::CRYPTO_SUITE_AEAD_AES_128_GCM),
                         [](const auto& suite) {
                           return suite.param == pb::CRYPTO_SUITE_AEAD_AES_128_GCM ? "Gcm"
                                                                                   : "CounterMode";
                         });

class RefusedPacketsTest : public GatewayFixture {};

TEST_F(RefusedPacketsTest, SsrcsThatAreNotSignalledAreNotForwarded) {
  PlainPeer alice;
  PlainPeer bob;
  control().CreateSession("call");
  pb::LegConfig config = alice.Config();
  config.add_remote_ssrcs(kAliceSsrc);
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");

  alice.SendRtp(RtpPacket(kAliceSsrc + 1, 1));
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 5));
  EXPECT_TRUE(bob.transport().NothingWaits());
  EXPECT_EQ(VerdictsOf(control().GetStats("call"), "alice"),
            (VerdictMap{{"forwarded", 5}, {"unexpected_ssrc", 1}}));
}

TEST_F(RefusedPacketsTest, SrtpBeforeThePeersKeyIsKnownIsDropped) {
  SrtpPeer alice;
  PlainPeer bob;
  control().CreateSession("call");
  pb::LegConfig config = alice.Config();
  config.clear_remote_key();
  alice.Join(control(), "call", "alice", config);
  bob.Join(control(), "call", "bob");

  const Bytes early = alice.WrapRtp(RtpPacket(kAliceSsrc, 1));
  alice.transport().SendRtp(early);
  control().AwaitStats("call", "counted a packet without a key", [](const pb::SessionStats& now) {
    return VerdictOf(now, "alice", "no_key") == 1;
  });
  control().UpdateLeg(LegUpdateOf("call", "alice", alice.Config(), {"remote_key"}));
  alice.transport().SendRtp(early);
  EXPECT_EQ(bob.ReceiveRtp(), RtpPacket(kAliceSsrc, 1));
  EXPECT_TRUE(bob.transport().NothingWaits());
}

TEST_F(RefusedPacketsTest, PacketsOfALegThatIsAloneHaveNoDestination) {
  PlainPeer alice;
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  alice.SendRtp(RtpPacket(kAliceSsrc, 1));
  control().AwaitStats("call", "counted a packet for nobody", [](const pb::SessionStats& now) {
    return VerdictsOf(now, "alice") == VerdictMap{{"no_destination", 1}};
  });
}

TEST_F(RefusedPacketsTest, ForwardingDecidesWhoGetsWhat) {
  PlainPeer alice;
  PlainPeer bob;
  PlainPeer carol;
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  carol.Join(control(), "call", "carol");
  pb::SetForwardingRequest request;
  request.set_session_id("call");
  pb::ForwardingRule& rule = *request.add_rules();
  rule.set_from_leg_id("alice");
  rule.add_to_leg_ids("bob");
  rule.add_to_leg_ids("carol");
  pb::SetForwardingResponse response;
  ASSERT_TRUE(control().Call(&ControlClient::Stub::SetForwarding, request, &response).ok());

  const std::vector<Bytes> packets = RtpRun(kAliceSsrc, 1, 20);
  ExpectRtpArrives(alice, bob, packets);
  for (const Bytes& packet : packets) {
    EXPECT_EQ(carol.ReceiveRtp(), packet);
  }
  bob.SendRtp(RtpPacket(kBobSsrc, 1));
  control().AwaitStats("call", "counted bob's packet", [](const pb::SessionStats& now) {
    return VerdictOf(now, "bob", "no_destination") == 1;
  });
  EXPECT_TRUE(alice.transport().NothingWaits());
  EXPECT_TRUE(carol.transport().NothingWaits());
}

}  // namespace
}  // namespace sluice

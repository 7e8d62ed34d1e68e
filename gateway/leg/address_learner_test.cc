#include "gateway/leg/address_learner.h"

#include <optional>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gtest/gtest.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

constexpr Timestamp kStart = Timestamp::Seconds(1000);
constexpr TimeDelta kWindow = TimeDelta::Seconds(10);
constexpr TimeDelta kTick = TimeDelta::Micros(1);

TransportAddress Address(uint8_t host, uint16_t port) {
  return {IpAddress::V4({192, 0, 2, host}), port};
}

// Signalled addresses of host 1.
const TransportAddress kRtp = Address(1, 5004);
const TransportAddress kRtcp = Address(1, 5005);
// The same host, other ports.
const TransportAddress kMovedRtp = Address(1, 40'000);
const TransportAddress kMovedRtcp = Address(1, 40'777);
// Other hosts.
const TransportAddress kOther = Address(9, 7000);
const TransportAddress kAttacker = Address(66, 6666);

RemoteTransport Remote(const TransportAddress& rtp, const TransportAddress& rtcp) {
  RemoteTransport remote;
  remote.rtp = rtp;
  remote.rtcp = rtcp;
  return remote;
}

// A learner and the time, told of packets as a leg would.
class Peer {
 public:
  Peer(AddressLearner::Options options, AddressLearning learning,
       std::optional<RemoteTransport> remote)
      : learner_(options, learning, kWindow) {
    learner_.Signal(now_, remote, std::nullopt, std::nullopt);
  }

  bool Expects(const TransportAddress& source, PacketKind kind = PacketKind::kRtp,
               Component component = Component::kRtp) {
    return learner_.Expects(now_, component, kind, source);
  }
  // A packet that authenticates, where that is asked. True when it was accepted.
  bool Rtp(const TransportAddress& source) {
    return Receive(Component::kRtp, PacketKind::kRtp, source);
  }
  bool Rtcp(const TransportAddress& source) {
    return Receive(Component::kRtcp, PacketKind::kRtcp, source);
  }
  bool MuxedRtcp(const TransportAddress& source) {
    return Receive(Component::kRtp, PacketKind::kRtcp, source);
  }
  void Rtp(const TransportAddress& source, int count) {
    for (int i = 0; i < count; ++i) {
      Rtp(source);
    }
  }

  void Advance(TimeDelta step) { now_ += step; }
  void LeaveWindow() { now_ += kWindow; }
  // Told by the last packet.
  const std::optional<AddressChange>& change() const { return change_; }
  AddressLearner& learner() { return learner_; }
  Timestamp now() const { return now_; }

 private:
  bool Receive(Component component, PacketKind kind, const TransportAddress& source) {
    change_.reset();
    if (!learner_.Expects(now_, component, kind, source)) {
      return false;
    }
    change_ = learner_.OnAccepted(now_, component, kind, source);
    return true;
  }

  Timestamp now_ = kStart;
  AddressLearner learner_;
  std::optional<AddressChange> change_;
};

Peer Plain(AddressLearning learning, std::optional<RemoteTransport> remote, bool mux = false) {
  return Peer({.authenticated = false, .rtcp_mux = mux}, learning, remote);
}

Peer Secure(AddressLearning learning, std::optional<RemoteTransport> remote, bool mux = false) {
  return Peer({.authenticated = true, .rtcp_mux = mux}, learning, remote);
}

TEST(AddressLearnerTest, StrictPlainLegsTakeWhatComesFromTheSignalledAddressOnly) {
  Peer peer = Plain(AddressLearning::kStrict, Remote(kRtp, kRtcp));
  EXPECT_TRUE(peer.Rtp(kRtp));
  EXPECT_FALSE(peer.Rtp(kMovedRtp));
  EXPECT_FALSE(peer.Rtp(kRtcp));
  EXPECT_TRUE(peer.Rtcp(kRtcp));
  EXPECT_FALSE(peer.Rtcp(kRtp));
  EXPECT_FALSE(peer.Rtcp(kAttacker));
  EXPECT_EQ(peer.learner().rtp(), kRtp);
  EXPECT_EQ(peer.learner().rtcp(), kRtcp);
  EXPECT_FALSE(peer.learner().learned());
}

TEST(AddressLearnerTest, StrictPlainLegsWithoutAnAddressTakeNothing) {
  Peer peer = Plain(AddressLearning::kStrict, std::nullopt);
  EXPECT_FALSE(peer.Rtp(kRtp));
  EXPECT_FALSE(peer.Rtcp(kRtcp));
  EXPECT_EQ(peer.learner().rtp(), std::nullopt);
}

TEST(AddressLearnerTest, ASignalledSourceReplacesTheDestinationAsSource) {
  for (const bool authenticated : {false, true}) {
    RemoteTransport remote = Remote(kRtp, kRtcp);
    remote.source_rtp = kOther;
    remote.source_rtcp = Address(9, 7001);
    Peer peer({.authenticated = authenticated, .rtcp_mux = false}, AddressLearning::kStrict,
              remote);
    EXPECT_TRUE(peer.Rtp(kOther));
    EXPECT_FALSE(peer.Rtp(kRtp));
    EXPECT_TRUE(peer.Rtcp(Address(9, 7001)));
    EXPECT_FALSE(peer.Rtcp(kRtcp));
    EXPECT_EQ(peer.learner().rtp(), kRtp);
  }
}

TEST(AddressLearnerTest, WithMuxRtcpComesFromAndGoesToTheRtpAddress) {
  RemoteTransport remote = Remote(kRtp, kRtcp);
  remote.source_rtcp = kOther;
  Peer peer = Plain(AddressLearning::kStrict, remote, true);
  EXPECT_TRUE(peer.MuxedRtcp(kRtp));
  EXPECT_FALSE(peer.MuxedRtcp(kRtcp));
  EXPECT_FALSE(peer.MuxedRtcp(kOther));
  EXPECT_EQ(peer.learner().rtcp(), kRtp);
}

TEST(AddressLearnerTest, APlainLegLocksOnTheFirstRtpPacketOfTheSignalledHost) {
  Peer peer = Plain(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  EXPECT_FALSE(peer.Rtp(kAttacker));
  EXPECT_TRUE(peer.Rtp(kMovedRtp));
  ASSERT_TRUE(peer.change().has_value());
  EXPECT_EQ(peer.change()->before, kRtp);
  EXPECT_EQ(peer.change()->after, kMovedRtp);
  EXPECT_EQ(peer.learner().rtp(), kMovedRtp);
  EXPECT_TRUE(peer.learner().learned());
  // Locked: neither the signalled port nor any other of the host.
  EXPECT_FALSE(peer.Rtp(kRtp));
  EXPECT_FALSE(peer.Rtp(Address(1, 40'001)));
  EXPECT_TRUE(peer.Rtp(kMovedRtp));
  EXPECT_FALSE(peer.change().has_value());
}

TEST(AddressLearnerTest, APlainLegThatIsWhereItWasSignalledLocksWithoutAChange) {
  Peer peer = Plain(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  EXPECT_TRUE(peer.Rtp(kRtp));
  EXPECT_FALSE(peer.change().has_value());
  EXPECT_FALSE(peer.learner().learned());
  EXPECT_FALSE(peer.Rtp(kMovedRtp));
}

TEST(AddressLearnerTest, APlainLegWithoutAnAddressLocksOnTheFirstRtpPacket) {
  Peer peer = Plain(AddressLearning::kLearn, std::nullopt);
  EXPECT_FALSE(peer.Rtcp(kOther));
  EXPECT_TRUE(peer.Rtp(kOther));
  EXPECT_EQ(peer.change()->before, std::nullopt);
  EXPECT_EQ(peer.change()->after, kOther);
  EXPECT_FALSE(peer.Rtp(kAttacker));
}

TEST(AddressLearnerTest, APlainLegLearnsNothingOutsideOfTheWindow) {
  Peer known = Plain(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  Peer unknown = Plain(AddressLearning::kLearn, std::nullopt);
  known.LeaveWindow();
  unknown.LeaveWindow();
  EXPECT_FALSE(known.Rtp(kMovedRtp));
  EXPECT_TRUE(known.Rtp(kRtp));
  EXPECT_FALSE(known.Rtp(kMovedRtp));
  EXPECT_FALSE(unknown.Rtp(kOther));
  EXPECT_EQ(unknown.learner().rtp(), std::nullopt);
}

TEST(AddressLearnerTest, TheWindowEndsWithItsLastMicrosecond) {
  Peer inside = Plain(AddressLearning::kLearn, std::nullopt);
  inside.Advance(kWindow - kTick);
  EXPECT_TRUE(inside.Rtp(kOther));
  Peer outside = Plain(AddressLearning::kLearn, std::nullopt);
  outside.Advance(kWindow);
  EXPECT_FALSE(outside.Rtp(kOther));
}

TEST(AddressLearnerTest, ALockedPlainLegMovesOnlyAfterSignalling) {
  Peer peer = Plain(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  peer.Rtp(kMovedRtp);
  peer.LeaveWindow();
  const TransportAddress again = Address(1, 41'000);
  EXPECT_FALSE(peer.Rtp(again));
  // The window opens anew; the destination stays until a packet moves it.
  peer.learner().Signal(peer.now(), std::nullopt, AddressLearning::kLearn, std::nullopt);
  EXPECT_EQ(peer.learner().rtp(), kMovedRtp);
  EXPECT_FALSE(peer.Rtp(kAttacker));
  EXPECT_TRUE(peer.Rtp(again));
  EXPECT_EQ(peer.learner().rtp(), again);
}

TEST(AddressLearnerTest, ASignalledAddressReplacesALearnedOne) {
  Peer peer = Plain(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  peer.Rtp(kMovedRtp);
  peer.learner().Signal(peer.now(), Remote(kOther, Address(9, 7001)), std::nullopt, std::nullopt);
  EXPECT_EQ(peer.learner().rtp(), kOther);
  EXPECT_FALSE(peer.learner().learned());
  EXPECT_FALSE(peer.Rtp(kMovedRtp));
}

TEST(AddressLearnerTest, TurningStrictForgetsWhatWasLearned) {
  for (const bool authenticated : {false, true}) {
    Peer peer({.authenticated = authenticated, .rtcp_mux = false}, AddressLearning::kLearn,
              Remote(kRtp, kRtcp));
    peer.Rtp(kMovedRtp, kPacketsToMove);
    ASSERT_EQ(peer.learner().rtp(), kMovedRtp);
    peer.learner().Signal(peer.now(), std::nullopt, AddressLearning::kStrict, std::nullopt);
    EXPECT_EQ(peer.learner().rtp(), kRtp);
    EXPECT_FALSE(peer.Rtp(kMovedRtp));
    EXPECT_TRUE(peer.Rtp(kRtp));
  }
}

TEST(AddressLearnerTest, AnSrtpLegMovesAfterSeveralPacketsInARow) {
  Peer peer = Secure(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  peer.Rtp(kOther, kPacketsToMove - 1);
  EXPECT_EQ(peer.learner().rtp(), kRtp);
  // One from where the peer was before: the count begins again.
  peer.Rtp(kRtp);
  peer.Rtp(kOther, kPacketsToMove - 1);
  EXPECT_EQ(peer.learner().rtp(), kRtp);
  // One from a third place.
  peer.Rtp(kAttacker);
  peer.Rtp(kOther, kPacketsToMove - 1);
  EXPECT_EQ(peer.learner().rtp(), kRtp);
  peer.Rtp(kOther);
  ASSERT_TRUE(peer.change().has_value());
  EXPECT_EQ(peer.change()->before, kRtp);
  EXPECT_EQ(peer.change()->after, kOther);
  EXPECT_EQ(peer.learner().rtp(), kOther);
  EXPECT_TRUE(peer.learner().learned());
}

TEST(AddressLearnerTest, AnSrtpLegTakesWhatAuthenticatesFromAnywhereButMovesInTheWindowOnly) {
  Peer peer = Secure(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  peer.Rtp(kOther, kPacketsToMove - 1);
  peer.LeaveWindow();
  for (int i = 0; i < 10 * kPacketsToMove; ++i) {
    EXPECT_TRUE(peer.Rtp(kOther));
    EXPECT_FALSE(peer.change().has_value());
  }
  EXPECT_EQ(peer.learner().rtp(), kRtp);
}

TEST(AddressLearnerTest, AStrictSrtpLegTakesTheSignalledSourceOnly) {
  Peer peer = Secure(AddressLearning::kStrict, Remote(kRtp, kRtcp));
  EXPECT_TRUE(peer.Expects(kRtp));
  EXPECT_FALSE(peer.Expects(kMovedRtp));
  EXPECT_TRUE(peer.Expects(kRtcp, PacketKind::kRtcp, Component::kRtcp));
  EXPECT_FALSE(peer.Expects(kRtp, PacketKind::kRtcp, Component::kRtcp));
}

TEST(AddressLearnerTest, AStrictSrtpLegWithoutAnAddressListensButCannotSend) {
  Peer peer = Secure(AddressLearning::kStrict, std::nullopt);
  for (int i = 0; i < 10 * kPacketsToMove; ++i) {
    EXPECT_TRUE(peer.Rtp(kOther));
  }
  EXPECT_TRUE(peer.Rtcp(kAttacker));
  EXPECT_EQ(peer.learner().rtp(), std::nullopt);
  EXPECT_EQ(peer.learner().rtcp(), std::nullopt);
}

TEST(AddressLearnerTest, RtcpNeverTeachesTheRtpAddress) {
  Peer secure_mux = Secure(AddressLearning::kLearn, std::nullopt, true);
  Peer secure = Secure(AddressLearning::kLearn, std::nullopt);
  Peer plain_mux = Plain(AddressLearning::kLearn, std::nullopt, true);
  for (int i = 0; i < 10 * kPacketsToMove; ++i) {
    EXPECT_TRUE(secure_mux.MuxedRtcp(kOther));
    EXPECT_TRUE(secure.Rtcp(kOther));
    EXPECT_FALSE(plain_mux.MuxedRtcp(kOther));
  }
  EXPECT_EQ(secure_mux.learner().rtp(), std::nullopt);
  EXPECT_EQ(secure.learner().rtp(), std::nullopt);
  EXPECT_EQ(secure.learner().rtcp(), std::nullopt);
  EXPECT_EQ(plain_mux.learner().rtp(), std::nullopt);
}

TEST(AddressLearnerTest, RtcpBetweenDoesNotBreakTheRowOfRtp) {
  Peer peer = Secure(AddressLearning::kLearn, Remote(kRtp, kRtp), true);
  peer.Rtp(kOther, kPacketsToMove - 1);
  peer.MuxedRtcp(kRtp);
  peer.Rtp(kOther);
  EXPECT_EQ(peer.learner().rtp(), kOther);
  EXPECT_EQ(peer.learner().rtcp(), kOther);
}

TEST(AddressLearnerTest, WithoutMuxRtcpFollowsRtpOnePortAbove) {
  Peer secure = Secure(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  secure.Rtp(kOther, kPacketsToMove);
  EXPECT_EQ(secure.learner().rtcp(), Address(9, 7001));
  Peer plain = Plain(AddressLearning::kLearn, std::nullopt);
  plain.Rtp(kOther);
  EXPECT_EQ(plain.learner().rtcp(), Address(9, 7001));
}

TEST(AddressLearnerTest, ThereIsNoPortAboveTheLast) {
  Peer peer = Plain(AddressLearning::kLearn, std::nullopt);
  peer.Rtp(Address(9, UINT16_MAX));
  EXPECT_EQ(peer.learner().rtcp(), std::nullopt);
}

TEST(AddressLearnerTest, OneRtcpPacketOfTheSameHostTeachesTheRtcpAddress) {
  for (const bool authenticated : {false, true}) {
    Peer peer({.authenticated = authenticated, .rtcp_mux = false}, AddressLearning::kLearn,
              Remote(kRtp, kRtcp));
    peer.Rtp(kMovedRtp, kPacketsToMove);
    EXPECT_EQ(peer.learner().rtcp(), Address(1, 40'001));
    EXPECT_TRUE(peer.Rtcp(kMovedRtcp));
    EXPECT_EQ(peer.learner().rtcp(), kMovedRtcp);
    EXPECT_FALSE(peer.change().has_value()) << "only RTP addresses are told";
    // Another host cannot, even with a true tag.
    peer.Rtcp(kAttacker);
    EXPECT_EQ(peer.learner().rtcp(), kMovedRtcp);
  }
}

TEST(AddressLearnerTest, RtcpLearnsNothingOutsideOfTheWindow) {
  for (const bool authenticated : {false, true}) {
    Peer peer({.authenticated = authenticated, .rtcp_mux = false}, AddressLearning::kLearn,
              Remote(kRtp, kRtcp));
    peer.Rtp(kRtp);
    peer.LeaveWindow();
    EXPECT_EQ(peer.Rtcp(kMovedRtcp), authenticated);
    EXPECT_EQ(peer.learner().rtcp(), kRtcp);
    EXPECT_TRUE(peer.Rtcp(kRtcp));
  }
}

TEST(AddressLearnerTest, ALearnedRtcpAddressStaysWhileTheHostDoes) {
  Peer peer = Secure(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  peer.Rtp(kRtp);
  peer.Rtcp(kMovedRtcp);
  peer.Rtp(kMovedRtp, kPacketsToMove);
  EXPECT_EQ(peer.learner().rtcp(), kMovedRtcp);
  peer.Rtp(kOther, kPacketsToMove);
  EXPECT_EQ(peer.learner().rtcp(), Address(9, 7001));
}

TEST(AddressLearnerTest, SignallingOpensTheWindowAnew) {
  Peer peer = Secure(AddressLearning::kLearn, Remote(kRtp, kRtcp));
  peer.LeaveWindow();
  peer.learner().Signal(peer.now(), std::nullopt, std::nullopt, TimeDelta::Seconds(1));
  peer.Advance(TimeDelta::Seconds(1) - kTick);
  peer.Rtp(kOther, kPacketsToMove);
  EXPECT_EQ(peer.learner().rtp(), kOther);
}

TEST(AddressLearnerTest, ASourceThatWasSignalledApartIsNoMove) {
  RemoteTransport remote = Remote(kRtp, kRtcp);
  remote.source_rtp = kOther;
  for (const bool authenticated : {false, true}) {
    Peer peer({.authenticated = authenticated, .rtcp_mux = false}, AddressLearning::kLearn, remote);
    peer.Rtp(kOther, kPacketsToMove);
    EXPECT_EQ(peer.learner().rtp(), kRtp);
    EXPECT_FALSE(peer.learner().learned());
  }
}

}  // namespace
}  // namespace sluice

#include "tools/load/lossy_relay.h"

#include <optional>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "base/byte_order.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/udp_peer.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr auto kRtp = static_cast<size_t>(RelayedKind::kRtp);
constexpr auto kRtcp = static_cast<size_t>(RelayedKind::kRtcp);
constexpr auto kOther = static_cast<size_t>(RelayedKind::kOther);

Bytes Rtp(uint16_t sequence) { return RtpPacketBuilder().WithSequence(sequence).Build(); }
const Bytes kReport = RtcpPacketBuilder().AddReceiverReport(1).Build();
// The beginning of a STUN binding request.
const Bytes kStun = {0, 1, 0, 0};

// Two ends with a relay between them.
class LossyRelayTest : public ::testing::TestWithParam<IpFamily> {
 protected:
  LossyRelayOptions Options() const {
    return {.ip = Loopback(GetParam()), .rtp_ends = {a_.address(), b_.address()}};
  }
  static LossyRelay Relay(const LossyRelayOptions& options) {
    absl::StatusOr<LossyRelay> relay = LossyRelay::Open(options);
    EXPECT_TRUE(relay.ok()) << relay.status();
    return *std::move(relay);
  }
  // On loopback, all that was sent is there.
  static void Forward(LossyRelay& relay) { relay.Run(-1, Deadline::Now()); }
  // Sequence numbers that came.
  static std::set<uint16_t> Sequences(UdpPeer& peer) {
    std::set<uint16_t> sequences;
    while (const std::optional<PeerDatagram> datagram = peer.ReceiveNow()) {
      sequences.insert(LoadBe16(&datagram->bytes[2]));
    }
    return sequences;
  }
  // What of 2000 packets from A comes to B. A few at a time, so that no buffer overflows.
  std::set<uint16_t> Send(LossyRelay& relay) {
    std::set<uint16_t> came;
    for (uint16_t sequence = 0; sequence < 2000; ++sequence) {
      a_.Send(relay.rtp_address(0), Rtp(sequence));
      if (sequence % 50 == 49) {
        Forward(relay);
        came.merge(Sequences(b_));
      }
    }
    return came;
  }

  UdpPeer a_{GetParam()};
  UdpPeer b_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Families, LossyRelayTest,
                         ::testing::Values(IpFamily::kIpv4, IpFamily::kIpv6),
                         [](const auto& family) {
                           return family.param == IpFamily::kIpv4 ? "Ipv4" : "Ipv6";
                         });

TEST_P(LossyRelayTest, ForwardsBothWaysFromThePortThatTheOtherEndKnows) {
  LossyRelay relay = Relay(Options());
  a_.Send(relay.rtp_address(0), Rtp(1));
  b_.Send(relay.rtp_address(1), Rtp(2));
  Forward(relay);
  const std::optional<PeerDatagram> at_b = b_.ReceiveNow();
  ASSERT_TRUE(at_b.has_value());
  EXPECT_EQ(at_b->bytes, Rtp(1));
  EXPECT_EQ(at_b->source, relay.rtp_address(1));
  const std::optional<PeerDatagram> at_a = a_.ReceiveNow();
  ASSERT_TRUE(at_a.has_value());
  EXPECT_EQ(at_a->bytes, Rtp(2));
  EXPECT_EQ(at_a->source, relay.rtp_address(0));
}

TEST_P(LossyRelayTest, LosesAShareOfOneDirectionAndCountsIt) {
  LossyRelayOptions options = Options();
  options.lost_per_million = {50'000, 0};
  LossyRelay relay = Relay(options);
  const std::set<uint16_t> came = Send(relay);
  // Five standard deviations (10 each) around the mean of 100.
  EXPECT_GT(relay.counters(0).dropped[kRtp], 50u);
  EXPECT_LT(relay.counters(0).dropped[kRtp], 150u);
  EXPECT_EQ(relay.counters(0).forwarded[kRtp], came.size());
  EXPECT_EQ(relay.counters(0).dropped[kRtp] + came.size(), 2000u);
  b_.Send(relay.rtp_address(1), Rtp(1));
  Forward(relay);
  EXPECT_EQ(relay.counters(1).forwarded[kRtp], 1u);
  EXPECT_EQ(relay.counters(1).dropped[kRtp], 0u);
}

TEST_P(LossyRelayTest, TheSeedSaysWhichPacketsAreLost) {
  LossyRelayOptions options = Options();
  options.lost_per_million = {50'000, 50'000};
  options.seed = 5;
  LossyRelay one = Relay(options);
  LossyRelay same = Relay(options);
  options.seed = 6;
  LossyRelay other = Relay(options);
  const std::set<uint16_t> came = Send(one);
  EXPECT_EQ(Send(same), came);
  EXPECT_NE(Send(other), came);
}

TEST_P(LossyRelayTest, RtcpIsLostOnlyWhenAskedAndStunNever) {
  for (const bool lose_rtcp : {false, true}) {
    LossyRelayOptions options = Options();
    options.lost_per_million = {1'000'000, 1'000'000};
    options.lose_rtcp = lose_rtcp;
    LossyRelay relay = Relay(options);
    for (const Bytes& datagram : {Rtp(1), kReport, kStun}) a_.Send(relay.rtp_address(0), datagram);
    Forward(relay);
    EXPECT_EQ(relay.counters(0).dropped[kRtp], 1u);
    EXPECT_EQ(relay.counters(0).dropped[kRtcp], lose_rtcp ? 1u : 0u);
    EXPECT_EQ(relay.counters(0).forwarded[kRtcp], lose_rtcp ? 0u : 1u);
    EXPECT_EQ(relay.counters(0).forwarded[kOther], 1u);
  }
}

TEST_P(LossyRelayTest, LearnsEndsThatItWasNotTold) {
  LossyRelay relay = Relay({.ip = Loopback(GetParam())});
  a_.Send(relay.rtp_address(0), Rtp(1));
  Forward(relay);
  EXPECT_EQ(relay.counters(0).no_destination, 1u);
  b_.Send(relay.rtp_address(1), Rtp(2));
  Forward(relay);
  a_.Send(relay.rtp_address(0), Rtp(3));
  Forward(relay);
  EXPECT_EQ(Sequences(a_), std::set<uint16_t>{2});
  EXPECT_EQ(Sequences(b_), std::set<uint16_t>{3});
}

TEST_P(LossyRelayTest, StrangersGetNothingThrough) {
  LossyRelay relay = Relay(Options());
  UdpPeer stranger(GetParam());
  stranger.Send(relay.rtp_address(0), Rtp(1));
  // The end of the other side is a stranger here.
  b_.Send(relay.rtp_address(0), Rtp(2));
  Forward(relay);
  EXPECT_TRUE(Sequences(b_).empty());
  EXPECT_EQ(relay.counters(0).strangers, 2u);
}

TEST_P(LossyRelayTest, RtcpMayHavePortsOfItsOwn) {
  UdpPeer a_rtcp(GetParam());
  UdpPeer b_rtcp(GetParam());
  EXPECT_FALSE(Relay(Options()).rtcp_address(0).has_value());
  LossyRelayOptions options = Options();
  options.rtcp_ports = true;
  options.rtcp_ends = {a_rtcp.address(), b_rtcp.address()};
  LossyRelay relay = Relay(options);
  a_rtcp.Send(relay.rtcp_address(0).value(), kReport);
  Forward(relay);
  EXPECT_EQ(b_rtcp.ReceiveNow().value().bytes, kReport);
  EXPECT_EQ(relay.counters(0).forwarded[kRtcp], 1u);
}

TEST_P(LossyRelayTest, TakesDatagramsOfAnySize) {
  LossyRelay relay = Relay(Options());
  const Bytes longest(65'000, 0x80);
  a_.Send(relay.rtp_address(0), Bytes{});
  a_.Send(relay.rtp_address(0), longest);
  Forward(relay);
  EXPECT_EQ(b_.ReceiveNow().value().bytes, Bytes{});
  EXPECT_EQ(b_.ReceiveNow().value().bytes, longest);
}

TEST(LossyRelayOptionsTest, FamiliesAreNotMixed) {
  LossyRelayOptions options;
  options.rtp_ends[1] = TransportAddress{Loopback(IpFamily::kIpv6), 5004};
  EXPECT_TRUE(absl::IsInvalidArgument(LossyRelay::Open(options).status()));
}

}  // namespace
}  // namespace sluice

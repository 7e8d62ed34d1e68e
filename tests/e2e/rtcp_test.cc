// RTCP on the RTP port (RFC 5761) and on a port of its own, and from one kind of leg to the other.

#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/reserved_ports.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

using ::testing::Bool;
using ::testing::Combine;

constexpr uint32_t kAliceSsrc = 0xa11ce001;
constexpr uint32_t kBobSsrc = 0xb0b00001;

PeerOptions Transport(bool rtcp_mux) { return {.ip = "127.0.0.1", .rtcp_mux = rtcp_mux}; }

// Whether alice (SRTP) and bob (plain) multiplex.
class RtcpTest : public GatewayFixture,
                 public ::testing::WithParamInterface<std::tuple<bool, bool>> {};

TEST_P(RtcpTest, ReachesTheRightPortOfEachSide) {
  const auto [alice_muxes, bob_muxes] = GetParam();
  SrtpPeer alice({.transport = Transport(alice_muxes)});
  PlainPeer bob(Transport(bob_muxes));
  control().CreateSession("call");
  const pb::Leg alice_leg = alice.Join(control(), "call", "alice").leg();
  const pb::Leg bob_leg = bob.Join(control(), "call", "bob").leg();

  for (const pb::Leg& leg : {alice_leg, bob_leg}) {
    // RFC 3550 section 11.
    EXPECT_EQ(leg.local_rtp().port() % 2, 0u);
    EXPECT_EQ(leg.local_rtcp().port(), leg.local_rtp().port() + (leg.rtcp_mux() ? 0 : 1));
  }
  // A separate socket accepts one kind only, so what arrives on the wrong one is missed here.
  ExpectRtcpArrives(alice, bob, {5, RtcpPacket(kAliceSsrc)});
  ExpectRtcpArrives(bob, alice, {5, RtcpPacket(kBobSsrc)});
  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 1, 5));
  ExpectRtpArrives(bob, alice, RtpRun(kBobSsrc, 1, 5));
  EXPECT_TRUE(alice.transport().NothingWaits());
  EXPECT_TRUE(bob.transport().NothingWaits());
}

INSTANTIATE_TEST_SUITE_P(MuxedOrNot, RtcpTest, Combine(Bool(), Bool()), [](const auto& test) {
  return absl::StrCat(std::get<0>(test.param) ? "Muxed" : "Separate", "To",
                      std::get<1>(test.param) ? "Muxed" : "Separate");
});

class RtcpPortTest : public GatewayFixture {};

TEST_F(RtcpPortTest, GoesOnePortAboveRtpWhenNoneIsSignalled) {
  const absl::StatusOr<ReservedPorts> pair = ReservedPorts::Reserve(2);
  ASSERT_TRUE(pair.ok()) << pair.status();
  pb::TransportAddress rtp;
  rtp.set_ip("127.0.0.1");
  rtp.set_port(pair->first());
  pb::TransportAddress rtcp = rtp;
  rtcp.set_port(pair->first() + 1);
  absl::StatusOr<PeerSocket> rtcp_socket = PeerSocket::OpenAt(rtcp);
  ASSERT_TRUE(rtcp_socket.ok()) << rtcp_socket.status();

  PlainPeer alice(Transport(/*rtcp_mux=*/false));
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  pb::LegConfig config;
  config.set_kind(pb::LEG_KIND_RTP);
  *config.mutable_remote()->mutable_rtp() = rtp;
  const pb::Leg bob_leg = control().AddLeg("call", "bob", config).leg();

  EXPECT_EQ(bob_leg.remote_rtcp().port(), rtcp.port());
  const Bytes report = RtcpPacket(kAliceSsrc);
  alice.SendRtcp(report);
  EXPECT_EQ(rtcp_socket->Receive(Deadline::Generous()), report);
}

TEST_F(RtcpPortTest, DropsEachKindOnThePortOfTheOther) {
  PlainPeer alice(Transport(/*rtcp_mux=*/false));
  PlainPeer bob(Transport(/*rtcp_mux=*/false));
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");

  alice.transport().SendRtp(RtcpPacket(kAliceSsrc));
  alice.transport().SendRtcp(RtpPacket(kAliceSsrc, 1));
  const pb::SessionStats stats = control().AwaitStats(
      "call", "counted two packets on the wrong port",
      [](const pb::SessionStats& now) { return LegOf(now, "alice").packets_received() == 2; });
  EXPECT_EQ(VerdictsOf(stats, "alice"), (VerdictMap{{"wrong_port", 2}}));
  EXPECT_TRUE(bob.transport().NothingWaits());

  ExpectRtpArrives(alice, bob, RtpRun(kAliceSsrc, 2, 1));
  ExpectRtcpArrives(alice, bob, {RtcpPacket(kAliceSsrc)});
}

}  // namespace
}  // namespace sluice

// The gateway stops when told, whatever it is doing.

#include <signal.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/event_watcher.h"
#include "tests/e2e/gateway_fixture.h"
#include "tests/e2e/peer_socket.h"
#include "tests/e2e/plain_peer.h"
#include "tests/e2e/srtp_peer.h"

namespace sluice {
namespace {

class StopTest : public GatewayFixture, public ::testing::WithParamInterface<int> {};

TEST_P(StopTest, EndsWithZeroWhileACallRuns) {
  SrtpPeer alice;
  PlainPeer bob;
  control().CreateSession("call");
  const pb::Leg leg = alice.Join(control(), "call", "alice").leg();
  bob.Join(control(), "call", "bob");
  ExpectRtpArrives(alice, bob, RtpRun(1, 1, 50));
  EventWatcher watcher(control());

  gateway().Signal(GetParam());
  uint16_t sequence = 51;
  std::optional<int> exit_code;
  const Deadline deadline = Deadline::Generous();
  while (!exit_code.has_value() && !deadline.passed()) {
    alice.SendRtp(RtpPacket(1, sequence++));
    exit_code = gateway().Wait(Deadline::Now());
  }
  EXPECT_EQ(exit_code, 0) << gateway().Log();
  // Nothing of it is left in the kernel.
  const absl::StatusOr<PeerSocket> port = PeerSocket::OpenAt(leg.local_rtp());
  EXPECT_TRUE(port.ok()) << port.status();
}

INSTANTIATE_TEST_SUITE_P(Signals, StopTest, ::testing::Values(SIGTERM, SIGINT),
                         [](const auto& test) {
                           return test.param == SIGTERM ? "Terminate" : "Interrupt";
                         });

class LogTest : public GatewayFixture {};

TEST_F(LogTest, HostilePacketsFillNoLog) {
  SrtpPeer alice;
  PlainPeer bob;
  control().CreateSession("call");
  alice.Join(control(), "call", "alice");
  bob.Join(control(), "call", "bob");
  const std::string before = gateway().Log();
  LibsrtpSender stranger(MakeTestKey(pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80, 66));
  for (uint16_t i = 0; i < 5000; ++i) {
    alice.transport().SendRtp(stranger.ProtectRtp(RtpPacket(1, i)));
    if (i % 100 == 99) {
      ExpectRtpArrives(alice, bob, {RtpPacket(1, i)});
    }
  }
  EXPECT_EQ(VerdictOf(control().GetStats("call"), "alice", "auth_failed"), 5000u);
  EXPECT_LT(gateway().Log().size(), before.size() + 2000) << gateway().Log();
}

}  // namespace
}  // namespace sluice

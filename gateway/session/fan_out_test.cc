// One sender, several listeners.

#include <array>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/session_table.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

TestPeerOptions PlainPeer(uint8_t host) { return {.host = host}; }
TestPeerOptions SecurePeer(uint8_t host, SuiteId suite) { return {.host = host, .suite = suite}; }

// One sender and three that listen.
struct FanOut {
  explicit FanOut(const SessionHarness::Options& options = {}) : harness(options) {
    harness.CreateSession("room");
    from_leg = harness.AddLeg("room", "from", from);
    for (size_t i = 0; i < listeners.size(); ++i) {
      handles.push_back(
          harness.AddLeg("room", std::string(1, static_cast<char>('a' + i)), listeners[i]));
    }
    const absl::Status status = harness.table().SetForwarding("room", {{"from", {"a", "b", "c"}}});
    EXPECT_TRUE(status.ok()) << status;
  }

  SessionHarness harness;
  TestPeer from{SecurePeer(1, SuiteId::kAeadAes128Gcm)};
  std::array<TestPeer, 3> listeners = {TestPeer(SecurePeer(2, SuiteId::kAeadAes128Gcm)),
                                       TestPeer(PlainPeer(3)),
                                       TestPeer(SecurePeer(4, SuiteId::kAesCm128HmacSha1_80))};
  LegHandle from_leg;
  std::vector<LegHandle> handles;
};

TEST(FanOutTest, FanOutGivesEachListenerTheSamePacketUnderItsOwnKey) {
  FanOut room;
  for (int i = 0; i < 3; ++i) {
    room.harness.ReceiveRtp(room.from_leg, room.from);
    const std::vector<SentPacket> sent = room.harness.TakeSent();
    ASSERT_EQ(sent.size(), 3u);
    for (size_t to = 0; to < sent.size(); ++to) {
      EXPECT_EQ(sent[to].leg, room.handles[to]);
      EXPECT_EQ(room.listeners[to].Open(sent[to].bytes, PacketKind::kRtp), room.from.last_plain());
    }
  }
  EXPECT_EQ(VerdictCount(room.harness.Leg("room", "from"), PacketVerdict::kForwarded), 3u);
  EXPECT_EQ(room.harness.arena().free(), room.harness.arena().capacity());
  // Nobody listens to the listeners.
  room.harness.ReceiveRtp(room.handles[1], room.listeners[1]);
  EXPECT_TRUE(room.harness.TakeSent().empty());
  EXPECT_EQ(VerdictCount(room.harness.Leg("room", "b"), PacketVerdict::kNoDestination), 1u);
}

TEST(FanOutTest, FanOutWiderThanTheJobsGoesOutInPortions) {
  FanOut room({.limits = {.sessions = 1,
                          .legs = 4,
                          .legs_per_session = 4,
                          .streams_per_leg = 4,
                          .receive_batch = 8,
                          .destinations_per_leg = 3}});
  std::vector<Bytes> plain;
  for (int i = 0; i < 8; ++i) {
    room.harness.Queue(room.from_leg, Component::kRtp, room.from.rtp, room.from.NextRtp());
    plain.push_back(room.from.last_plain());
  }
  room.harness.Deliver();
  const std::vector<SentPacket> sent = room.harness.TakeSent();
  ASSERT_EQ(sent.size(), 24u);
  for (size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i].leg, room.handles[i % 3]) << i;
    EXPECT_EQ(room.listeners[i % 3].Open(sent[i].bytes, PacketKind::kRtp), plain[i / 3]) << i;
  }
}

TEST(FanOutTest, WithoutSlotsForCopiesTheLastListenerStillGetsThePacket) {
  SessionHarness::Options options;
  // One for the packet, one for a copy.
  options.packet_slots = 2;
  FanOut room(options);
  room.harness.ReceiveRtp(room.from_leg, room.from);
  const std::vector<SentPacket> sent = room.harness.TakeSent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].leg, room.handles[0]);
  EXPECT_EQ(sent[1].leg, room.handles[2]);
  EXPECT_EQ(VerdictCount(room.harness.Leg("room", "from"), PacketVerdict::kForwarded), 1u);
  EXPECT_EQ(VerdictCount(room.harness.Leg("room", "b"), PacketVerdict::kNoCopySlot), 1u);
  EXPECT_EQ(room.harness.arena().free(), 2u);
}

}  // namespace
}  // namespace sluice

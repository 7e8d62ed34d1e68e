#include "gateway/session/outbox.h"

#include <memory>
#include <utility>

#include "gateway/session/session_event.h"
#include "gateway/session/session_spec.h"
#include "gtest/gtest.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

OutgoingDatagram Datagram(PacketArena& arena) {
  OutgoingDatagram datagram;
  datagram.packet = arena.Lend();
  return datagram;
}

TEST(OutboxTest, PacketsBeyondTheLimitAreRefusedAndTheirSlotsReturned) {
  PacketArena arena(4);
  Outbox outbox(2, 1, 1);
  EXPECT_TRUE(outbox.PushPacket(Datagram(arena)));
  EXPECT_FALSE(outbox.packets_full());
  EXPECT_TRUE(outbox.PushPacket(Datagram(arena)));
  EXPECT_TRUE(outbox.packets_full());
  EXPECT_FALSE(outbox.PushPacket(Datagram(arena)));
  EXPECT_EQ(outbox.packets().size(), 2u);
  EXPECT_EQ(arena.free(), 2u);
  outbox.ClearPackets();
  EXPECT_EQ(arena.free(), 4u);
  EXPECT_TRUE(outbox.PushPacket(Datagram(arena)));
}

TEST(OutboxTest, EventsBeyondTheLimitAreCountedAndLost) {
  Outbox outbox(1, 2, 1);
  SessionEvent event;
  for (uint32_t ssrc = 1; ssrc <= 3; ++ssrc) {
    event.ssrc = Ssrc(ssrc);
    EXPECT_EQ(outbox.PushEvent(event), ssrc <= 2);
  }
  EXPECT_EQ(outbox.events_dropped(), 1u);
  EXPECT_EQ(outbox.events().PopFront().ssrc, Ssrc(1));
  EXPECT_EQ(outbox.events().PopFront().ssrc, Ssrc(2));
  EXPECT_TRUE(outbox.PushEvent(event));
}

TEST(OutboxTest, SessionsMayEndWhileThereIsRoomToReportIt) {
  Outbox outbox(1, 1, 1);
  EXPECT_TRUE(outbox.CanEnd());
  auto ended = std::make_unique<EndedSession>();
  ended->report.id = "call-1";
  outbox.PushEnded(std::move(ended));
  EXPECT_FALSE(outbox.CanEnd());
  EXPECT_EQ(outbox.ended().PopFront()->report.id, "call-1");
  EXPECT_TRUE(outbox.CanEnd());
}

}  // namespace
}  // namespace sluice

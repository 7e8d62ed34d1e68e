#include "gateway/worker/packet_slots.h"

#include "gateway/worker/worker_limits.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(PacketSlotsTest, CoversEverythingThatHoldsPacketsAtOneTime) {
  WorkerLimits limits;
  limits.receive_batch = 256;
  limits.outbox_packets = 1024;
  limits.held_packets = 7;
  // A full batch, a full outbox, the spare slots of the next receive call (32), those that pacers
  // keep, two full outboxes of interceptors (256 RTP each way, 64 RTCP), and one more.
  EXPECT_EQ(PacketSlots(limits), 256u + 1024u + 32u + 7u + 2 * (2 * 256u + 64u) + 1u);
}

TEST(PacketSlotsTest, GrowsWithBatchOutboxAndHeldPacketsOnly) {
  WorkerLimits limits;
  limits.receive_batch = 10;
  limits.outbox_packets = 10;
  const size_t before = PacketSlots(limits);
  limits.sessions = 1000;
  limits.packet_slots = 1000;
  limits.streams_per_leg = 1000;
  EXPECT_EQ(PacketSlots(limits), before);
  ++limits.receive_batch;
  EXPECT_EQ(PacketSlots(limits), before + 1);
  ++limits.outbox_packets;
  EXPECT_EQ(PacketSlots(limits), before + 2);
  ++limits.held_packets;
  EXPECT_EQ(PacketSlots(limits), before + 3);
}

}  // namespace
}  // namespace sluice

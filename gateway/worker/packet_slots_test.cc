#include "gateway/worker/packet_slots.h"

#include "gateway/worker/worker_limits.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(PacketSlotsTest, CoversEverythingThatHoldsPacketsAtOneTime) {
  WorkerLimits limits;
  limits.receive_batch = 256;
  limits.outbox_packets = 1024;
  // A full batch, a full outbox, the spare slots of the next receive call (32), and one more.
  EXPECT_EQ(PacketSlots(limits), 256u + 1024u + 32u + 1u);
}

TEST(PacketSlotsTest, GrowsWithBatchAndOutboxOnly) {
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
}

}  // namespace
}  // namespace sluice

#include "tests/peers/packet_ring.h"

#include <cstdint>

#include "base/byte_order.h"
#include "gtest/gtest.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

TEST(PacketRingTest, SequenceNumbersGoOnFromLapToLap) {
  PacketRing ring(100);
  uint16_t expected = 0;
  // Once around all sequence numbers, and on.
  for (size_t lap = 0; lap < 65536 / PacketRing::kSlots + 2; ++lap) {
    for (size_t slot = 0; slot < PacketRing::kSlots; ++slot) {
      ASSERT_EQ(LoadBe16(ring.packet(slot).bytes().data() + 2), expected);
      ASSERT_EQ(ring.index(slot), lap * PacketRing::kSlots + slot);
      ++expected;
    }
    ring.NextLap();
  }
}

TEST(PacketRingTest, PacketsAreOfTheirSizeAgainAfterALap) {
  PacketRing ring(100);
  ASSERT_TRUE(ring.packet(7).Resize(150));
  ring.NextLap();
  EXPECT_EQ(ring.packet(7).size(), 112u);
  EXPECT_EQ(ring.plain_size(), 112u);
}

TEST(PacketRingTest, LapsAllocateNothing) {
  PacketRing ring(PacketRing::kMaxPayloadSize);
  const uint64_t before = ThreadAllocations();
  ring.NextLap();
  EXPECT_EQ(ThreadAllocations(), before);
}

}  // namespace
}  // namespace sluice

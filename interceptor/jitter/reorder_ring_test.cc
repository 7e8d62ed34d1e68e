#include "interceptor/jitter/reorder_ring.h"

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

using enum RingVerdict;

constexpr size_t kCapacity = 16;

// Stores number `n` if it fits; what Find said.
RingVerdict Put(ReorderRing& ring, int64_t n) {
  const ReorderRing::Place place = ring.Find(static_cast<uint16_t>(n));
  if (place.verdict == kFits) {
    ring.Store(place.sequence, {.media_us = n});
  }
  return place.verdict;
}

// All that is held, in order: "5 7(1)" is 5, and 7 with one number skipped in front.
std::string Drain(ReorderRing& ring) {
  std::string text;
  while (!ring.empty()) {
    int64_t skipped = 0;
    const HeldPacket held = ring.PopFront(skipped);
    absl::StrAppend(&text, text.empty() ? "" : " ", held.media_us);
    if (skipped != 0) {
      absl::StrAppend(&text, "(", skipped, ")");
    }
  }
  return text;
}

TEST(ReorderRingTest, CapacitiesArePowersOfTwo) {
  for (const size_t capacity : {16, 512, 4096}) {
    EXPECT_TRUE(ReorderRing::IsValidCapacity(capacity)) << capacity;
  }
  for (const size_t capacity : {0, 8, 17, 8192}) {
    EXPECT_FALSE(ReorderRing::IsValidCapacity(capacity)) << capacity;
  }
}

TEST(ReorderRingTest, GivesInOrderAndTellsWhatIsMissing) {
  ReorderRing ring(kCapacity);
  for (const int64_t n : {5, 9, 7, 6}) {
    EXPECT_EQ(Put(ring, n), kFits);
  }
  EXPECT_EQ(ring.size(), 4u);
  EXPECT_EQ(Drain(ring), "5 6 7 9(1)");
  EXPECT_EQ(ring.next(), 10);
}

TEST(ReorderRingTest, NumbersWrap) {
  ReorderRing ring(kCapacity);
  for (const int64_t n : {0xFFFE, 0x10001, 0xFFFF, 0x10000}) {
    EXPECT_EQ(Put(ring, n), kFits) << n;
  }
  EXPECT_EQ(Drain(ring), "65534 65535 65536 65537");
}

TEST(ReorderRingTest, BeforeTheFirstIsGivenItMayBeOvertaken) {
  ReorderRing ring(kCapacity);
  EXPECT_EQ(Put(ring, 10), kFits);
  EXPECT_EQ(Put(ring, 8), kFits);
  // Sixteen numbers, no more.
  EXPECT_EQ(Put(ring, 10 - 15), kFits);
  EXPECT_EQ(Put(ring, 10 - 16), kLate);
  EXPECT_EQ(Drain(ring), "-5 8(12) 10(1)");
}

TEST(ReorderRingTest, AfterItsTurnAPacketIsLate) {
  ReorderRing ring(kCapacity);
  EXPECT_EQ(Put(ring, 5), kFits);
  EXPECT_EQ(Put(ring, 7), kFits);
  EXPECT_EQ(Drain(ring), "5 7(1)");
  EXPECT_EQ(Put(ring, 6), kLate);
  EXPECT_EQ(Put(ring, 7), kLate);
  EXPECT_EQ(Put(ring, 8), kFits);
}

TEST(ReorderRingTest, WhatIsHeldIsADuplicate) {
  ReorderRing ring(kCapacity);
  EXPECT_EQ(Put(ring, 5), kFits);
  EXPECT_EQ(Put(ring, 5), kDuplicate);
  EXPECT_EQ(Put(ring, 6), kFits);
  EXPECT_EQ(Put(ring, 6), kDuplicate);
  EXPECT_EQ(ring.size(), 2u);
}

TEST(ReorderRingTest, TheRingEndsAtItsCapacity) {
  ReorderRing ring(kCapacity);
  EXPECT_EQ(Put(ring, 100), kFits);
  EXPECT_EQ(Put(ring, 115), kFits);
  EXPECT_EQ(Put(ring, 116), kOverflow);
  int64_t skipped;
  ring.PopFront(skipped);
  EXPECT_EQ(Put(ring, 116), kFits);
}

TEST(ReorderRingTest, AnEmptyRingSkips) {
  ReorderRing ring(kCapacity);
  EXPECT_EQ(Put(ring, 100), kFits);
  EXPECT_EQ(Drain(ring), "100");
  EXPECT_EQ(Put(ring, 1000), kOverflow);
  EXPECT_EQ(ring.SkipTo(1000), 899);
  EXPECT_EQ(Put(ring, 1000), kFits);
  EXPECT_EQ(Drain(ring), "1000");
}

TEST(ReorderRingTest, TwoInARowFarAwayAreARestart) {
  ReorderRing ring(kCapacity);
  EXPECT_EQ(Put(ring, 100), kFits);
  EXPECT_EQ(Put(ring, 30000), kFar);
  EXPECT_EQ(Put(ring, 101), kFits);
  EXPECT_EQ(Put(ring, 30001), kFar);
  EXPECT_EQ(Put(ring, 30002), kRestart);
  ring.Clear();
  EXPECT_EQ(Put(ring, 30002), kFits);
  EXPECT_EQ(Drain(ring), "30002");
}

TEST(ReorderRingTest, WhoComesInFrontOfOthersDoesNotMakeThemWait) {
  ReorderRing ring(kCapacity);
  const auto store = [&](int64_t sequence, int64_t ms) {
    ring.Store(sequence, {.arrival = Timestamp::Millis(ms)});
  };
  store(5, 10);
  store(9, 20);
  store(7, 30);
  store(3, 40);
  store(10, 50);
  const int64_t expected[] = {10, 10, 20, 20, 50};
  for (const int64_t ms : expected) {
    EXPECT_EQ(ring.front().arrival, Timestamp::Millis(ms)) << ring.front_sequence();
    int64_t skipped;
    ring.PopFront(skipped);
  }
}

TEST(ReorderRingTest, ClearingGivesTheLoansBack) {
  PacketArena arena(4);
  ReorderRing ring(kCapacity);
  for (int64_t n = 0; n < 3; ++n) {
    ring.Store(n, {.packet = arena.Lend()});
  }
  EXPECT_EQ(arena.free(), 1u);
  int64_t skipped;
  ring.PopFront(skipped);
  EXPECT_EQ(arena.free(), 2u);
  ring.Clear();
  EXPECT_EQ(arena.free(), 4u);
  EXPECT_TRUE(ring.empty());
}

// Any numbers near each other, against a map.
TEST(ReorderRingTest, HoldsWhatAMapHolds) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(88);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  ReorderRing ring(64);
  std::map<int64_t, int64_t> held;
  int64_t next = 65000;
  EXPECT_EQ(Put(ring, next), kFits);
  int64_t skipped;
  ring.PopFront(skipped);
  ++next;
  for (int i = 0; i < 100000; ++i) {
    if (random.Below(2) == 0) {
      const int64_t n = next - 10 + static_cast<int64_t>(random.Below(90));
      const RingVerdict expected = n < next           ? kLate
                                   : n >= next + 64   ? kOverflow
                                   : held.contains(n) ? kDuplicate
                                                      : kFits;
      ASSERT_EQ(Put(ring, n), expected) << n << " at " << next;
      if (expected == kFits) {
        held[n] = n;
      }
    } else if (!held.empty()) {
      ASSERT_EQ(ring.front_sequence(), held.begin()->first);
      ASSERT_EQ(ring.front().media_us, held.begin()->first);
      ring.PopFront(skipped);
      ASSERT_EQ(skipped, held.begin()->first - next);
      next = held.begin()->first + 1;
      held.erase(held.begin());
    }
    ASSERT_EQ(ring.size(), held.size());
    ASSERT_EQ(ring.next(), next);
  }
}

}  // namespace
}  // namespace sluice

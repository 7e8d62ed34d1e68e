#include "srtp/packet_arena.h"

#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

Bytes Copy(absl::Span<const uint8_t> bytes) { return Bytes(bytes.begin(), bytes.end()); }

// A loan with `size` bytes of `fill`.
PacketLoan Filled(PacketArena& arena, size_t size, uint8_t fill) {
  PacketLoan packet = arena.Lend();
  EXPECT_TRUE(packet.Resize(size));
  for (uint8_t& byte : packet.bytes()) byte = fill;
  return packet;
}

TEST(PacketArenaTest, LendsEverySlotOnceAndCountsWhenThereIsNone) {
  PacketArena arena(3);
  EXPECT_EQ(arena.capacity(), 3u);
  EXPECT_EQ(arena.free(), 3u);
  {
    std::vector<PacketLoan> loans;
    std::set<const uint8_t*> slots;
    for (int i = 0; i < 3; ++i) {
      loans.push_back(arena.Lend());
      ASSERT_TRUE(loans.back());
      slots.insert(loans.back().bytes().data());
    }
    EXPECT_EQ(slots.size(), 3u);
    EXPECT_EQ(arena.free(), 0u);
    EXPECT_EQ(arena.exhausted(), 0u);
    EXPECT_FALSE(arena.Lend());
    EXPECT_FALSE(arena.LendCopy(loans[0]));
    EXPECT_EQ(arena.exhausted(), 2u);
    loans.pop_back();
    EXPECT_EQ(arena.free(), 1u);
    EXPECT_TRUE(arena.Lend());
  }
  EXPECT_EQ(arena.free(), 3u);
  EXPECT_EQ(arena.exhausted(), 2u);
}

TEST(PacketArenaTest, SlotsAreAlignedAndApart) {
  PacketArena arena(4);
  std::vector<PacketLoan> loans;
  for (int i = 0; i < 4; ++i) {
    loans.push_back(arena.Lend());
    // The headroom is a whole number of cache lines, so the packet is aligned as the slot is.
    EXPECT_EQ(reinterpret_cast<uintptr_t>(loans.back().bytes().data()) % 64, 0u);
  }
  for (int i = 0; i < 4; ++i) {
    PacketLoan& packet = loans[static_cast<size_t>(i)];
    ASSERT_TRUE(packet.Prepend(kPacketHeadroom));
    ASSERT_TRUE(packet.Resize(kPacketSlotSize));
    for (uint8_t& byte : packet.bytes()) byte = static_cast<uint8_t>(i);
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_THAT(loans[static_cast<size_t>(i)].bytes(), Each(i));
  }
}

TEST(PacketArenaTest, WhatCameBackLastGoesOutFirst) {
  PacketArena arena(3);
  PacketLoan a = arena.Lend();
  PacketLoan b = arena.Lend();
  const uint8_t* slot = a.bytes().data();
  b.Return();
  a.Return();
  EXPECT_EQ(arena.Lend().bytes().data(), slot);
}

TEST(PacketArenaTest, CopiesBytesAndPlace) {
  PacketArena arena(2);
  PacketLoan packet = Filled(arena, 100, 7);
  ASSERT_TRUE(packet.TrimFront(3));
  PacketLoan copy = arena.LendCopy(packet);
  ASSERT_TRUE(copy);
  EXPECT_EQ(Copy(copy.bytes()), Copy(packet.bytes()));
  EXPECT_EQ(copy.headroom(), packet.headroom());
  EXPECT_EQ(copy.tailroom(), packet.tailroom());
  copy.bytes()[0] = 8;
  EXPECT_EQ(packet.bytes()[0], 7);
}

TEST(PacketArenaTest, CopiesAPacketThatFillsItsSlot) {
  PacketArena arena(2);
  PacketLoan packet = arena.Lend();
  ASSERT_TRUE(packet.Prepend(kPacketHeadroom));
  ASSERT_TRUE(packet.Resize(kPacketSlotSize));
  std::iota(packet.bytes().begin(), packet.bytes().end(), uint8_t{0});
  PacketLoan copy = arena.LendCopy(packet);
  EXPECT_EQ(Copy(copy.bytes()), Copy(packet.bytes()));
}

TEST(PacketLoanTest, AFreshLoanIsEmptyBetweenHeadroomAndTailroom) {
  PacketArena arena(1);
  PacketLoan packet = arena.Lend();
  EXPECT_EQ(packet.size(), 0u);
  EXPECT_EQ(packet.headroom(), kPacketHeadroom);
  EXPECT_EQ(packet.tailroom(), kPacketSlotSize - kPacketHeadroom);
  EXPECT_EQ(packet.ReceiveSpan().size(), kMaxDatagramSize);
  EXPECT_EQ(packet.ReceiveSpan().data(), packet.bytes().data());
}

TEST(PacketLoanTest, TheLongestDatagramLeavesRoomForTagMkiAndIndex) {
  PacketArena arena(1);
  PacketLoan packet = arena.Lend();
  ASSERT_TRUE(packet.Resize(packet.ReceiveSpan().size()));
  EXPECT_EQ(packet.tailroom(), kPacketTailroom);
}

TEST(PacketLoanTest, ASlotUsedBeforeIsFreshAgain) {
  PacketArena arena(1);
  PacketLoan packet = Filled(arena, 10, 1);
  ASSERT_TRUE(packet.Prepend(4));
  packet = PacketLoan();
  packet = arena.Lend();
  EXPECT_EQ(packet.size(), 0u);
  EXPECT_EQ(packet.headroom(), kPacketHeadroom);
}

TEST(PacketLoanTest, ResizeStaysInTheSlot) {
  PacketArena arena(1);
  PacketLoan packet = arena.Lend();
  EXPECT_TRUE(packet.Resize(kPacketSlotSize - kPacketHeadroom));
  EXPECT_EQ(packet.tailroom(), 0u);
  for (const size_t size :
       {kPacketSlotSize - kPacketHeadroom + 1, kPacketSlotSize, size_t{65536}, SIZE_MAX}) {
    EXPECT_FALSE(packet.Resize(size)) << size;
  }
  EXPECT_EQ(packet.size(), kPacketSlotSize - kPacketHeadroom);
  EXPECT_TRUE(packet.Resize(0));
  EXPECT_EQ(packet.size(), 0u);
}

TEST(PacketLoanTest, PrependTakesTheHeadroomAndNoMore) {
  PacketArena arena(1);
  PacketLoan packet = Filled(arena, 3, 5);
  EXPECT_FALSE(packet.Prepend(kPacketHeadroom + 1));
  EXPECT_FALSE(packet.Prepend(SIZE_MAX));
  EXPECT_EQ(packet.size(), 3u);
  ASSERT_TRUE(packet.Prepend(2));
  packet.bytes()[0] = 1;
  packet.bytes()[1] = 2;
  EXPECT_THAT(Copy(packet.bytes()), ElementsAre(1, 2, 5, 5, 5));
  EXPECT_EQ(packet.headroom(), kPacketHeadroom - 2);
  EXPECT_TRUE(packet.Prepend(kPacketHeadroom - 2));
  EXPECT_FALSE(packet.Prepend(1));
  EXPECT_TRUE(packet.Prepend(0));
  EXPECT_EQ(packet.size(), kPacketHeadroom + 3);
}

TEST(PacketLoanTest, TrimFrontDropsTheBytesThatAreThereAndNoMore) {
  PacketArena arena(1);
  PacketLoan packet = arena.Lend();
  ASSERT_TRUE(packet.Resize(4));
  std::iota(packet.bytes().begin(), packet.bytes().end(), uint8_t{1});
  EXPECT_FALSE(packet.TrimFront(5));
  EXPECT_FALSE(packet.TrimFront(SIZE_MAX));
  EXPECT_EQ(packet.size(), 4u);
  EXPECT_TRUE(packet.TrimFront(3));
  EXPECT_THAT(Copy(packet.bytes()), ElementsAre(4));
  EXPECT_TRUE(packet.TrimFront(1));
  EXPECT_EQ(packet.size(), 0u);
  EXPECT_FALSE(packet.TrimFront(1));
  // What was dropped is headroom.
  EXPECT_TRUE(packet.Prepend(4));
  EXPECT_THAT(Copy(packet.bytes()), ElementsAre(1, 2, 3, 4));
}

TEST(PacketLoanTest, ReceiveSpanShrinksWithThePacketsStartAndNeverReachesIntoTheTailroom) {
  PacketArena arena(1);
  PacketLoan packet = arena.Lend();
  ASSERT_TRUE(packet.Resize(kPacketSlotSize - kPacketHeadroom));
  ASSERT_TRUE(packet.TrimFront(100));
  EXPECT_EQ(packet.ReceiveSpan().size(), kMaxDatagramSize - 100);
  ASSERT_TRUE(packet.TrimFront(kMaxDatagramSize - 100));
  EXPECT_TRUE(packet.ReceiveSpan().empty());
  ASSERT_TRUE(packet.TrimFront(kPacketTailroom));
  EXPECT_TRUE(packet.ReceiveSpan().empty());
}

TEST(PacketLoanTest, AnEmptyLoanHoldsNothing) {
  PacketLoan none;
  EXPECT_FALSE(none);
  none.Return();
  EXPECT_FALSE(none);
  PacketLoan other = std::move(none);
  EXPECT_FALSE(other);
}

TEST(PacketLoanTest, MovingHandsTheSlotOver) {
  PacketArena arena(2);
  PacketLoan a = Filled(arena, 5, 9);
  ASSERT_TRUE(a.TrimFront(1));
  PacketLoan b = std::move(a);
  EXPECT_EQ(arena.free(), 1u);
  EXPECT_THAT(Copy(b.bytes()), ElementsAre(9, 9, 9, 9));
  EXPECT_EQ(b.headroom(), kPacketHeadroom + 1);
  PacketLoan c = arena.Lend();
  EXPECT_EQ(arena.free(), 0u);
  // The slot that c held comes back.
  c = std::move(b);
  EXPECT_EQ(arena.free(), 1u);
  EXPECT_THAT(Copy(c.bytes()), ElementsAre(9, 9, 9, 9));
  PacketLoan& same = c;
  c = std::move(same);
  EXPECT_TRUE(c);
  EXPECT_EQ(arena.free(), 1u);
  c = PacketLoan();
  EXPECT_EQ(arena.free(), 2u);
}

TEST(PacketLoanTest, AMovedFromLoanIsEmptyAndUsableAgain) {
  PacketArena arena(2);
  PacketLoan a = arena.Lend();
  PacketLoan b = std::move(a);
  // Reading what was moved from is the point here.
  PacketLoan* moved_from = &a;
  EXPECT_FALSE(*moved_from);
  moved_from->Return();
  EXPECT_EQ(arena.free(), 1u);
  *moved_from = arena.Lend();
  EXPECT_TRUE(*moved_from);
}

TEST(PacketLoanTest, ReturnEndsTheLoanOnce) {
  PacketArena arena(1);
  PacketLoan packet = arena.Lend();
  packet.Return();
  EXPECT_FALSE(packet);
  EXPECT_EQ(arena.free(), 1u);
  packet.Return();
  EXPECT_EQ(arena.free(), 1u);
}

TEST(PacketLoanTest, SwapKeepsBothSlotsLent) {
  PacketArena arena(2);
  PacketLoan a = Filled(arena, 1, 1);
  PacketLoan b = Filled(arena, 2, 2);
  std::swap(a, b);
  EXPECT_EQ(arena.free(), 0u);
  EXPECT_THAT(Copy(a.bytes()), ElementsAre(2, 2));
  EXPECT_THAT(Copy(b.bytes()), ElementsAre(1));
}

TEST(PacketArenaDeathTest, StopsWhenItGoesBeforeItsLoans) {
  EXPECT_DEATH(
      {
        PacketLoan packet;
        PacketArena arena(1);
        packet = arena.Lend();
      },
      "free_ == capacity_");
}

TEST(PacketArenaDeathTest, StopsWithoutSlots) { EXPECT_DEATH(PacketArena arena(0), "slots"); }

#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
TEST(PacketArenaDeathTest, UseAfterReturnIsFound) {
  PacketArena arena(2);
  PacketLoan packet = Filled(arena, 10, 1);
  volatile uint8_t* bytes = packet.bytes().data();
  packet.Return();
  EXPECT_DEATH(bytes[0] = 1, "use-after-poison");
}

TEST(PacketArenaDeathTest, RunningIntoAFreeSlotIsFound) {
  PacketArena arena(2);
  PacketLoan packet = arena.Lend();
  volatile uint8_t* bytes = packet.bytes().data();
  EXPECT_DEATH(bytes[kPacketSlotSize - kPacketHeadroom] = 1, "use-after-poison");
}
#endif

// Random operations against what the loans ought to hold: no slot is lent twice or lost.
TEST(PacketArenaTest, KeepsEveryPacketApartUnderRandomUse) {
  constexpr size_t kSlots = 16;
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  struct Held {
    PacketLoan packet;
    Bytes want;
  };
  PacketArena arena(kSlots);
  uint64_t exhausted = 0;
  {
    std::vector<Held> held;
    for (int operation = 0; operation < 20000; ++operation) {
      const uint64_t kind = random.Below(4);
      if (kind == 0 || held.empty()) {
        PacketLoan packet = arena.Lend();
        ASSERT_EQ(static_cast<bool>(packet), held.size() < kSlots);
        if (!packet) {
          ++exhausted;
          continue;
        }
        Bytes want(random.Below(kMaxDatagramSize));
        random.Fill(absl::MakeSpan(want));
        ASSERT_TRUE(packet.Resize(want.size()));
        std::copy(want.begin(), want.end(), packet.bytes().begin());
        held.push_back({std::move(packet), std::move(want)});
        continue;
      }
      const size_t which = random.Below(held.size());
      ASSERT_EQ(Copy(held[which].packet.bytes()), held[which].want);
      if (kind == 1) {
        PacketLoan copy = arena.LendCopy(held[which].packet);
        ASSERT_EQ(static_cast<bool>(copy), held.size() < kSlots);
        if (copy) {
          held.push_back({std::move(copy), held[which].want});
        } else {
          ++exhausted;
        }
      } else if (kind == 2) {
        const size_t count = random.Below(held[which].want.size() + 2);
        if (held[which].packet.TrimFront(count)) {
          held[which].want.erase(held[which].want.begin(),
                                 held[which].want.begin() + static_cast<ptrdiff_t>(count));
        }
      } else {
        std::swap(held[which], held.back());
        held.pop_back();
      }
      ASSERT_EQ(arena.free(), kSlots - held.size());
    }
  }
  EXPECT_EQ(arena.free(), kSlots);
  EXPECT_EQ(arena.exhausted(), exhausted);
  EXPECT_GT(exhausted, 0u);
}

}  // namespace
}  // namespace sluice

#include "srtp/packet_index.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr uint64_t kMax = kMaxPacketIndex.value();

// The estimate for the 16 bits of `index`.
IndexEstimate EstimateOf(uint64_t highest, uint64_t index) {
  return EstimateIndex(PacketIndex(highest), SequenceNumber(static_cast<uint16_t>(index)));
}

// RFC 3711 appendix A, word for word, with its "modulo 2^32".
uint64_t AppendixA(uint32_t roc, uint16_t s_l, uint16_t seq) {
  uint32_t v;
  if (s_l < 32768) {
    v = seq - s_l > 32768 ? roc - 1 : roc;
  } else {
    v = s_l - 32768 > seq ? roc + 1 : roc;
  }
  return uint64_t{v} * 65536 + seq;
}

TEST(PacketIndexTest, IsRolloverCounterAndSequenceNumber) {
  const PacketIndex index = MakeIndex(Roc(0x89ABCDEF), SequenceNumber(0x1234));
  EXPECT_EQ(index, PacketIndex(0x89ABCDEF1234));
  EXPECT_EQ(RocOf(index), Roc(0x89ABCDEF));
  EXPECT_EQ(SequenceOf(index), SequenceNumber(0x1234));
  EXPECT_EQ(MakeIndex(Roc(0), SequenceNumber(0)), PacketIndex(0));
  EXPECT_EQ(MakeIndex(Roc(UINT32_MAX), SequenceNumber(UINT16_MAX)), kMaxPacketIndex);
  EXPECT_EQ(kMaxPacketIndex, PacketIndex(281474976710655));
  EXPECT_EQ(kMaxSrtcpIndex, SrtcpIndex(2147483647));
}

TEST(EstimateIndexTest, FollowsTheSequenceAcrossARollover) {
  struct Row {
    uint64_t highest;
    uint16_t sequence;
    uint64_t index;
  };
  for (const Row& row : {
           Row{0x50000, 1, 0x50001},
           Row{0x5FFFF, 0, 0x60000},       // one further
           Row{0x5FFFF, 0x7FFE, 0x67FFE},  // far ahead
           Row{0x60000, 0xFFFF, 0x5FFFF},  // one late
           Row{0x60000, 0x8001, 0x58001},  // very late
           Row{0x58000, 0x0000, 0x50000},  // late, same rollover
           Row{0x57FFF, 0xFFFF, 0x5FFFF},  // ahead, same rollover
           Row{0x68000, 0xFFFF, 0x6FFFF},
       }) {
    const IndexEstimate estimate =
        EstimateIndex(PacketIndex(row.highest), SequenceNumber(row.sequence));
    EXPECT_TRUE(estimate.valid);
    EXPECT_EQ(estimate.index, PacketIndex(row.index))
        << absl::StrCat("highest ", absl::Hex(row.highest), " sequence ", absl::Hex(row.sequence));
  }
}

// At exactly 2^15 both readings are as near; both ends of a stream must choose the same.
TEST(EstimateIndexTest, StaysInTheRolloverAtExactlyHalfTheSpace) {
  EXPECT_EQ(EstimateOf(0x50000, 0x8000).index, PacketIndex(0x58000));
  EXPECT_EQ(EstimateOf(0x58000, 0x0000).index, PacketIndex(0x50000));
  EXPECT_EQ(EstimateOf(0x57FFF, 0xFFFF).index, PacketIndex(0x5FFFF));
  EXPECT_EQ(EstimateOf(0x5FFFF, 0x7FFF).index, PacketIndex(0x57FFF));
}

TEST(EstimateIndexTest, IsAppendixAForEveryPairOfSequenceNumbers) {
  // Every 13th number and the edges: all pairs of all numbers would be 2^32.
  constexpr uint32_t kRoc = 77;
  for (uint32_t last = 0; last <= 0xFFFF; last += last % 0x4000 < 3 ? 1 : 61) {
    for (uint32_t seq = 0; seq <= 0xFFFF; seq += 13) {
      for (const uint32_t near :
           {seq, (seq + last) & 0xFFFF, (last + 0x8000 + seq % 3 - 1) & 0xFFFF}) {
        const auto s_l = static_cast<uint16_t>(last);
        const auto sequence = static_cast<uint16_t>(near);
        const IndexEstimate estimate =
            EstimateIndex(MakeIndex(Roc(kRoc), SequenceNumber(s_l)), SequenceNumber(sequence));
        ASSERT_TRUE(estimate.valid);
        ASSERT_EQ(estimate.index.value(), AppendixA(kRoc, s_l, sequence))
            << "s_l " << s_l << " SEQ " << sequence;
      }
    }
  }
}

// media.md 3A, item 1. Appendix A alone would make ROC 2^32 - 1 of it.
TEST(EstimateIndexTest, NothingComesBeforeTheFirstRolloverCounter) {
  for (const uint16_t sequence : {0x8000, 0x8001, 0xFFFE, 0xFFFF}) {
    const IndexEstimate estimate = EstimateIndex(PacketIndex(0), SequenceNumber(sequence));
    EXPECT_TRUE(estimate.valid);
    EXPECT_EQ(estimate.index, PacketIndex(sequence));
  }
  EXPECT_EQ(EstimateOf(0x7FFF, 0xFFFF).index, PacketIndex(0xFFFF));
  EXPECT_EQ(EstimateOf(0x10000, 0xFFFF).index, PacketIndex(0xFFFF));
}

// RFC 3711 section 9.2: a key ends with its last index; wrapping it would repeat the keystream.
TEST(EstimateIndexTest, NothingComesAfterTheLastIndex) {
  EXPECT_TRUE(EstimateOf(kMax, kMax).valid);
  EXPECT_EQ(EstimateOf(kMax, kMax).index, kMaxPacketIndex);
  EXPECT_EQ(EstimateOf(kMax - 1, kMax).index, kMaxPacketIndex);
  EXPECT_EQ(EstimateOf(kMax, kMax - 0x7FFF).index, PacketIndex(kMax - 0x7FFF));
  EXPECT_FALSE(EstimateOf(kMax, kMax + 1).valid);
  EXPECT_FALSE(EstimateOf(kMax, kMax + 0x7FFF).valid);
  EXPECT_EQ(EstimateOf(kMax, kMax + 1).index, kMaxPacketIndex);
  EXPECT_FALSE(EstimateOf(kMax - 0x7FFF + 1, kMax + 1).valid);
  // One rollover earlier the same numbers are fine.
  EXPECT_TRUE(EstimateOf(kMax - 0x10000, kMax - 0xFFFF).valid);
}

// The model: the true 64-bit index, known to the test alone.
TEST(EstimateIndexTest, FindsTheTrueIndexUnderLossAndReordering) {
  constexpr uint64_t kReach = (1u << 15) - 1;
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SeededRandom random(seed);
  SCOPED_TRACE(absl::StrCat("SLUICE_TEST_SEED=", seed));
  for (const uint64_t start : {uint64_t{0}, uint64_t{0x7FFE}, uint64_t{0xFFFE},
                               uint64_t{0x123456789}, kMax - 40 * kReach, kMax - 3}) {
    uint64_t highest = start;
    for (int i = 0; i < 20000; ++i) {
      // Most packets are near, some are at the limit of what can be told.
      const uint64_t spread = random.Below(4) == 0 ? kReach : 20;
      uint64_t distance = random.Below(spread + 1);
      if (random.Below(64) == 0) distance = kReach;
      const bool ahead = random.Below(2) == 0;
      if (!ahead && distance > highest) continue;
      const uint64_t truth = ahead ? highest + distance : highest - distance;
      const IndexEstimate estimate = EstimateOf(highest, truth);
      ASSERT_EQ(estimate.valid, truth <= kMax) << "highest " << highest << " truth " << truth;
      if (truth > kMax) continue;
      ASSERT_EQ(estimate.index.value(), truth) << "highest " << highest;
      highest = std::max(highest, truth);
    }
  }
}

}  // namespace
}  // namespace sluice

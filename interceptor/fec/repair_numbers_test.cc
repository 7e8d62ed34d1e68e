#include "interceptor/fec/repair_numbers.h"

#include <set>

#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(RepairNumbersTest, BeginAtRandomBelowHalfOfTheRange) {
  SeededRandom random(1);
  std::set<uint16_t> sequences;
  std::set<uint32_t> timestamps;
  for (int i = 0; i < 100; ++i) {
    RepairNumbers numbers(1, random);
    const RepairNumbering& numbering = numbers.Begin(Ssrc(1));
    EXPECT_LT(numbering.next_sequence, 0x8000);
    sequences.insert(numbering.next_sequence);
    timestamps.insert(numbering.timestamp_offset);
  }
  EXPECT_GT(sequences.size(), 90u);
  EXPECT_GT(timestamps.size(), 90u);
}

TEST(RepairNumbersTest, GoOnWhenAStreamComesBack) {
  SeededRandom random(2);
  RepairNumbers numbers(2, random);
  RepairNumbering& first = numbers.Begin(Ssrc(1));
  const uint16_t begin = first.next_sequence;
  first.next_sequence += 5;
  numbers.End(first);
  numbers.Begin(Ssrc(2));
  EXPECT_EQ(numbers.Begin(Ssrc(1)).next_sequence, begin + 5);
}

TEST(RepairNumbersTest, OnlyStreamsThatEndedAreForgotten) {
  SeededRandom random(3);
  RepairNumbers numbers(2, random);
  RepairNumbering& kept = numbers.Begin(Ssrc(1));
  numbers.End(numbers.Begin(Ssrc(2)));
  const RepairNumbering& third = numbers.Begin(Ssrc(3));
  EXPECT_EQ(third.ssrc, Ssrc(3));
  EXPECT_EQ(kept.ssrc, Ssrc(1));
  EXPECT_TRUE(kept.active);
}

}  // namespace
}  // namespace sluice

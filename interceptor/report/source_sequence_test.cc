#include "interceptor/report/source_sequence.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using enum SequenceStep;

TEST(SourceSequenceTest, StepsAreThoseOfTheAppendix) {
  struct Step {
    uint16_t number;
    SequenceStep step;
    int64_t highest;
    int64_t last;
  };
  const struct {
    const char* what;
    std::vector<Step> steps;
  } kTable[] = {
      {"in order", {{7, kForward, 7, 7}, {8, kForward, 8, 8}}},
      {"over the wrap", {{0xFFFF, kForward, 0xFFFF, 0xFFFF}, {0, kForward, 0x10000, 0x10000}}},
      {"the same again", {{7, kForward, 7, 7}, {7, kBack, 7, 7}}},
      {"behind the wrap",
       {{0xFFFF, kForward, 0xFFFF, 0xFFFF},
        {1, kForward, 0x10001, 0x10001},
        {0xFFFE, kBack, 0x10001, 0xFFFE}}},
      {"before the first", {{1, kForward, 1, 1}, {0xFFFF, kBack, 1, -1}}},
      {"the edge in front", {{1000, kForward, 1000, 1000}, {3999, kForward, 3999, 3999}}},
      {"beyond it", {{1000, kForward, 1000, 1000}, {4000, kFar, 1000, 1000}}},
      {"the edge behind", {{1000, kForward, 1000, 1000}, {901, kBack, 1000, 901}}},
      {"beyond it as well", {{1000, kForward, 1000, 1000}, {900, kFar, 1000, 1000}}},
      {"a restart in front",
       {{1, kForward, 1, 1}, {30000, kFar, 1, 1}, {30001, kRestart, 30001, 30001}}},
      {"a restart behind is in the next cycle",
       {{30000, kForward, 30000, 30000}, {5, kFar, 30000, 30000}, {6, kRestart, 0x10006, 0x10006}}},
      {"far ones that do not follow each other",
       {{1, kForward, 1, 1}, {30000, kFar, 1, 1}, {30002, kFar, 1, 1}, {2, kForward, 2, 2}}},
      {"a restart over the wrap",
       {{30000, kForward, 30000, 30000},
        {0xFFFF, kFar, 30000, 30000},
        {0, kRestart, 0x10000, 0x10000}}},
  };
  for (const auto& row : kTable) {
    SourceSequence sequence;
    for (const Step& step : row.steps) {
      SCOPED_TRACE(absl::StrCat(row.what, ", ", step.number));
      EXPECT_EQ(sequence.Record(SequenceNumber(step.number)), step.step);
      EXPECT_EQ(sequence.highest(), step.highest);
      if (step.step != kFar) {
        EXPECT_EQ(sequence.last(), step.last);
      }
    }
  }
}

TEST(SourceSequenceTest, ExtendsWhatItIsGivenCutTo16Bits) {
  SeededRandom random(SeededRandom::SeedFromEnvOr(3552));
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", random.seed()));
  SourceSequence sequence;
  EXPECT_FALSE(sequence.started());
  int64_t number = static_cast<int64_t>(random.Below(0x10000));
  int64_t highest = number;
  for (int i = 0; i < 100'000; ++i) {
    const SequenceStep step = sequence.Record(SequenceNumber(static_cast<uint16_t>(number)));
    ASSERT_EQ(step, i == 0 || number > highest ? kForward : kBack);
    highest = std::max(highest, number);
    ASSERT_EQ(sequence.highest(), highest);
    ASSERT_EQ(sequence.last(), number);
    number = random.Below(4) == 0 ? highest - static_cast<int64_t>(random.Below(100))
                                  : highest + 1 + static_cast<int64_t>(random.Below(2999));
  }
}

}  // namespace
}  // namespace sluice

#include "interceptor/red/arrival_window.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using enum ArrivalWindowVerdict;

ArrivalWindowVerdict Note(ArrivalWindow& window, int64_t number) {
  return window.Note(SequenceNumber(static_cast<uint16_t>(number)));
}
bool Misses(const ArrivalWindow& window, int64_t number) {
  return window.Misses(SequenceNumber(static_cast<uint16_t>(number)));
}

TEST(ArrivalWindowTest, KnowsGapsAndDuplicates) {
  ArrivalWindow window;
  EXPECT_FALSE(Misses(window, 5));
  EXPECT_EQ(Note(window, 10), kNew);
  EXPECT_EQ(Note(window, 12), kNew);
  EXPECT_TRUE(Misses(window, 11));
  EXPECT_FALSE(Misses(window, 12));
  EXPECT_FALSE(Misses(window, 13));
  EXPECT_EQ(Note(window, 11), kNew);
  EXPECT_FALSE(Misses(window, 11));
  EXPECT_EQ(Note(window, 11), kDuplicate);
  EXPECT_EQ(Note(window, 12), kDuplicate);
}

TEST(ArrivalWindowTest, NothingIsMissingBeforeTheFirstPacket) {
  ArrivalWindow window;
  EXPECT_EQ(Note(window, 0), kNew);
  EXPECT_FALSE(Misses(window, 65535));
  // It may come all the same.
  EXPECT_EQ(Note(window, 65535), kNew);
  EXPECT_EQ(Note(window, 65535), kDuplicate);
}

TEST(ArrivalWindowTest, ASourceThatBeginsAnewIsFollowed) {
  ArrivalWindow window;
  EXPECT_EQ(Note(window, 30'000), kNew);
  EXPECT_EQ(Note(window, 100), kOld);
  EXPECT_EQ(Note(window, 30'001), kNew);
  EXPECT_EQ(Note(window, 101), kOld);
  EXPECT_EQ(Note(window, 102), kNew);
  EXPECT_EQ(Note(window, 104), kNew);
  EXPECT_TRUE(Misses(window, 103));
  EXPECT_EQ(Note(window, 20'000), kNew);
  EXPECT_FALSE(Misses(window, 103));
  EXPECT_TRUE(Misses(window, 19'999));
}

TEST(ArrivalWindowTest, DoesWhatASetDoes) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(2);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  ArrivalWindow window;
  std::set<int64_t> came;
  int64_t newest = 65'000;
  for (int i = 0; i < 50'000; ++i) {
    const bool jump = random.Below(500) == 0;
    // Never two in a row behind the window.
    const int64_t number = newest - 200 + static_cast<int64_t>(random.Below(jump ? 2'000 : 204));
    const bool first = came.empty();
    const ArrivalWindowVerdict verdict = Note(window, number);
    ASSERT_EQ(verdict, came.contains(number) ? kDuplicate : kNew) << number;
    came.insert(number);
    newest = first ? number : std::max(newest, number);
    const int64_t asked = newest - 255 + static_cast<int64_t>(random.Below(260));
    if (asked > 65'000) {
      ASSERT_EQ(Misses(window, asked), asked < newest && !came.contains(asked)) << asked;
    }
  }
}

}  // namespace
}  // namespace sluice

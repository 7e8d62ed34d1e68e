#include "gateway/session/timer_queue.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(TimerQueueTest, PopsInOrderOfDeadlinesAndNotBefore) {
  TimerQueue queue(4);
  queue.Set(0, Timestamp::Millis(30));
  queue.Set(1, Timestamp::Millis(10));
  queue.Set(2, Timestamp::Millis(20));
  EXPECT_EQ(queue.Next(), Timestamp::Millis(10));
  EXPECT_EQ(queue.PopDue(Timestamp::Micros(9'999)), std::nullopt);
  EXPECT_EQ(queue.PopDue(Timestamp::Millis(10)), 1u);
  EXPECT_EQ(queue.PopDue(Timestamp::Millis(100)), 2u);
  EXPECT_EQ(queue.PopDue(Timestamp::Millis(100)), 0u);
  EXPECT_EQ(queue.PopDue(Timestamp::Millis(100)), std::nullopt);
  EXPECT_EQ(queue.Next(), Timestamp::PlusInfinity());
}

TEST(TimerQueueTest, SetMovesADeadlineBothWays) {
  TimerQueue queue(2);
  queue.Set(0, Timestamp::Millis(10));
  queue.Set(1, Timestamp::Millis(20));
  queue.Set(0, Timestamp::Millis(30));
  EXPECT_EQ(queue.Next(), Timestamp::Millis(20));
  queue.Set(0, Timestamp::Millis(5));
  EXPECT_EQ(queue.Next(), Timestamp::Millis(5));
  EXPECT_EQ(queue.size(), 2u);
}

TEST(TimerQueueTest, BringForwardNeverMovesBack) {
  TimerQueue queue(1);
  queue.BringForward(0, Timestamp::Millis(20));
  queue.BringForward(0, Timestamp::Millis(30));
  EXPECT_EQ(queue.Deadline(0), Timestamp::Millis(20));
  queue.BringForward(0, Timestamp::Millis(10));
  EXPECT_EQ(queue.Deadline(0), Timestamp::Millis(10));
}

TEST(TimerQueueTest, NeverIsNoDeadline) {
  TimerQueue queue(2);
  queue.Set(0, Timestamp::Millis(10));
  queue.Set(0, Timestamp::PlusInfinity());
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.PopDue(Timestamp::PlusInfinity()), std::nullopt);
  queue.Cancel(1);
  EXPECT_EQ(queue.Deadline(1), Timestamp::PlusInfinity());
}

TEST(TimerQueueTest, AgreesWithAMap) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(2);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  constexpr uint32_t kKeys = 50;
  TimerQueue queue(kKeys);
  std::map<uint32_t, int64_t> model;
  const auto earliest = [&model] {
    int64_t min = INT64_MAX;
    for (const auto& [key, deadline] : model) {
      min = std::min(min, deadline);
    }
    return min;
  };
  for (int step = 0; step < 50'000; ++step) {
    const auto key = static_cast<uint32_t>(random.Below(kKeys));
    const auto time = static_cast<int64_t>(random.Below(1'000));
    switch (random.Below(4)) {
      case 0:
      case 1:
        queue.Set(key, Timestamp::Micros(time));
        model[key] = time;
        break;
      case 2:
        queue.Cancel(key);
        model.erase(key);
        break;
      default: {
        const std::optional<uint32_t> due = queue.PopDue(Timestamp::Micros(time));
        ASSERT_EQ(due.has_value(), earliest() <= time) << step;
        if (due.has_value()) {
          ASSERT_EQ(model.at(*due), earliest()) << step;
          model.erase(*due);
        }
      }
    }
    ASSERT_EQ(queue.size(), model.size()) << step;
    ASSERT_EQ(queue.Next(),
              model.empty() ? Timestamp::PlusInfinity() : Timestamp::Micros(earliest()));
  }
}

}  // namespace
}  // namespace sluice

#include "quic/server/deadline_queue.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(DeadlineQueueTest, TheEarliestIsFirst) {
  DeadlineQueue queue(3);
  EXPECT_EQ(queue.Next(), Timestamp::PlusInfinity());
  queue.Set(0, Timestamp::Millis(30));
  queue.Set(1, Timestamp::Millis(10));
  queue.Set(2, Timestamp::Millis(20));
  EXPECT_EQ(queue.First(), 1u);
  queue.Set(1, Timestamp::Millis(40));
  EXPECT_EQ(queue.First(), 2u);
  queue.Set(2, Timestamp::PlusInfinity());
  queue.Set(2, Timestamp::PlusInfinity());
  EXPECT_EQ(queue.First(), 0u);
  EXPECT_EQ(queue.Next(), Timestamp::Millis(30));
}

TEST(DeadlineQueueTest, AgreesWithAList) {
  SeededRandom random(SeededRandom::SeedFromEnvOr(63));
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", random.seed()));
  constexpr uint32_t kItems = 40;
  DeadlineQueue queue(kItems);
  std::vector<Timestamp> model(kItems, Timestamp::PlusInfinity());
  for (int step = 0; step < 20000; ++step) {
    const auto item = static_cast<uint32_t>(random.Below(kItems));
    const Timestamp deadline = random.Below(3) == 0
                                   ? Timestamp::PlusInfinity()
                                   : Timestamp::Micros(static_cast<int64_t>(random.Below(1000)));
    queue.Set(item, deadline);
    model[item] = deadline;
    const Timestamp first = *std::min_element(model.begin(), model.end());
    ASSERT_EQ(queue.Next(), first);
    if (first.IsFinite()) {
      ASSERT_EQ(model[queue.First()], first);
    }
  }
}

}  // namespace
}  // namespace sluice

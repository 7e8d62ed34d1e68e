#include "base/ring_buffer.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::Pointee;

TEST(RingBufferTest, GivesBackInTheOrderOfArrival) {
  RingBuffer<int> ring(3);
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(ring.capacity(), 3u);
  EXPECT_TRUE(ring.PushBack(1));
  EXPECT_TRUE(ring.PushBack(2));
  EXPECT_EQ(ring.size(), 2u);
  EXPECT_EQ(ring.front(), 1);
  EXPECT_EQ(ring[1], 2);
  EXPECT_EQ(ring.PopFront(), 1);
  EXPECT_EQ(ring.PopFront(), 2);
  EXPECT_TRUE(ring.empty());
}

TEST(RingBufferTest, RefusesWhenFullAndKeepsWhatItHas) {
  RingBuffer<int> ring(2);
  ASSERT_TRUE(ring.PushBack(1));
  ASSERT_TRUE(ring.PushBack(2));
  EXPECT_TRUE(ring.full());
  EXPECT_FALSE(ring.PushBack(3));
  EXPECT_EQ(ring[0], 1);
  EXPECT_EQ(ring[1], 2);
}

TEST(RingBufferTest, CountsFromTheOldestAlsoOverTheEnd) {
  RingBuffer<int> ring(3);
  for (int i = 0; i < 10; ++i) {
    if (ring.full()) ring.PopFront();
    ASSERT_TRUE(ring.PushBack(i));
  }
  EXPECT_EQ(ring[0], 7);
  EXPECT_EQ(ring[1], 8);
  EXPECT_EQ(std::as_const(ring)[2], 9);
  ring[1] = 80;
  EXPECT_EQ(ring.PopFront(), 7);
  EXPECT_EQ(std::as_const(ring).front(), 80);
}

TEST(RingBufferTest, ACapacityOfZeroHoldsNothing) {
  RingBuffer<int> ring(0);
  EXPECT_TRUE(ring.empty());
  EXPECT_TRUE(ring.full());
  EXPECT_FALSE(ring.PushBack(1));
}

TEST(RingBufferDeathTest, ReadingWhatIsNotThereIsOurMistake) {
  RingBuffer<int> ring(2);
  EXPECT_DEATH(ring.front(), "i < size_");
  EXPECT_DEATH(ring.PopFront(), "i < size_");
  ASSERT_TRUE(ring.PushBack(1));
  EXPECT_DEATH(ring[1], "i < size_");
}

// Move-only, not default constructible, counts its living instances.
class Token {
 public:
  explicit Token(std::shared_ptr<int> alive) : alive_(std::move(alive)) {}

 private:
  std::shared_ptr<int> alive_;
};

TEST(RingBufferTest, DestroysEachValueOnce) {
  const auto alive = std::make_shared<int>(0);
  {
    RingBuffer<Token> ring(2);
    ASSERT_TRUE(ring.PushBack(Token(alive)));
    ASSERT_TRUE(ring.PushBack(Token(alive)));
    EXPECT_FALSE(ring.PushBack(Token(alive)));
    EXPECT_EQ(alive.use_count(), 3);
    ring.PopFront();
    EXPECT_EQ(alive.use_count(), 2);
    ASSERT_TRUE(ring.PushBack(Token(alive)));
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(RingBufferTest, HoldsMoveOnlyValues) {
  RingBuffer<std::unique_ptr<int>> ring(1);
  ASSERT_TRUE(ring.PushBack(std::make_unique<int>(5)));
  EXPECT_THAT(ring.PopFront(), Pointee(5));
}

class RingBufferModelTest : public testing::TestWithParam<size_t> {};

TEST_P(RingBufferModelTest, BehavesAsADequeUnderRandomOperations) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  RingBuffer<std::unique_ptr<uint64_t>> ring(GetParam());
  std::deque<uint64_t> model;
  for (int i = 0; i < 50'000; ++i) {
    SCOPED_TRACE(absl::StrCat("operation ", i));
    const uint64_t value = random.NextU64();
    if (random.Below(2) == 0) {
      const bool fits = model.size() < GetParam();
      ASSERT_EQ(ring.PushBack(std::make_unique<uint64_t>(value)), fits);
      if (fits) model.push_back(value);
    } else if (!model.empty()) {
      ASSERT_EQ(*ring.front(), model.front());
      ASSERT_EQ(*ring.PopFront(), model.front());
      model.pop_front();
    }
    ASSERT_EQ(ring.size(), model.size());
    ASSERT_EQ(ring.empty(), model.empty());
    ASSERT_EQ(ring.full(), model.size() == GetParam());
    if (model.empty()) continue;
    const size_t at = random.Below(model.size());
    ASSERT_EQ(*ring[at], model[at]);
  }
}

INSTANTIATE_TEST_SUITE_P(Capacities, RingBufferModelTest, testing::Values(0, 1, 2, 7, 64));

}  // namespace
}  // namespace sluice

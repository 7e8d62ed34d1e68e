#include "tools/load/delay_line.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }
Bytes BytesOf(const DelayLine::Datagram& datagram) {
  return {datagram.bytes.begin(), datagram.bytes.end()};
}

TEST(DelayLineTest, GivesWhatIsDueInTheOrderOfTime) {
  DelayLine line(4);
  EXPECT_EQ(line.NextDue(), Timestamp::PlusInfinity());
  ASSERT_TRUE(line.Push(Ms(20), 2, Bytes{2, 2}));
  ASSERT_TRUE(line.Push(Ms(10), 1, Bytes{1}));
  EXPECT_EQ(line.NextDue(), Ms(10));
  EXPECT_FALSE(line.Pop(Ms(9)).has_value());
  std::optional<DelayLine::Datagram> datagram = line.Pop(Ms(15));
  ASSERT_TRUE(datagram.has_value());
  EXPECT_EQ(datagram->at, Ms(10));
  EXPECT_EQ(datagram->tag, 1u);
  EXPECT_EQ(BytesOf(*datagram), Bytes{1});
  EXPECT_FALSE(line.Pop(Ms(15)).has_value());
  datagram = line.Pop(Ms(20));
  ASSERT_TRUE(datagram.has_value());
  EXPECT_EQ(BytesOf(*datagram), (Bytes{2, 2}));
  EXPECT_EQ(line.size(), 0u);
}

TEST(DelayLineTest, RefusesWhatIsTooMuchOrTooLong) {
  DelayLine line(1);
  EXPECT_FALSE(line.Push(Ms(1), 0, Bytes(DelayLine::kMaxSize + 1)));
  EXPECT_TRUE(line.Push(Ms(1), 0, Bytes(DelayLine::kMaxSize, 7)));
  EXPECT_FALSE(line.Push(Ms(1), 0, Bytes{1}));
  ASSERT_TRUE(line.Pop(Ms(1)).has_value());
  EXPECT_TRUE(line.Push(Ms(1), 0, Bytes{}));
  EXPECT_TRUE(line.Pop(Ms(1))->bytes.empty());
}

TEST(DelayLineTest, AgreesWithASortedMap) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(21);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  constexpr size_t kCapacity = 50;
  DelayLine line(kCapacity);
  // By time and order.
  std::map<std::pair<Timestamp, uint64_t>, Bytes> model;
  Timestamp now = Ms(0);
  for (uint64_t i = 0; i < 20'000; ++i) {
    if (random.Below(2) == 0) {
      Bytes bytes(random.Below(100));
      random.Fill(absl::MakeSpan(bytes));
      const Timestamp at = now + TimeDelta::Millis(static_cast<int64_t>(random.Below(30)));
      ASSERT_EQ(line.Push(at, i, bytes), model.size() < kCapacity);
      if (model.size() < kCapacity) model[{at, i}] = bytes;
    } else {
      now += TimeDelta::Millis(static_cast<int64_t>(random.Below(3)));
      const std::optional<DelayLine::Datagram> datagram = line.Pop(now);
      const bool due = !model.empty() && model.begin()->first.first <= now;
      ASSERT_EQ(datagram.has_value(), due);
      if (!due) continue;
      ASSERT_EQ(datagram->tag, model.begin()->first.second);
      ASSERT_EQ(BytesOf(*datagram), model.begin()->second);
      model.erase(model.begin());
    }
    ASSERT_EQ(line.size(), model.size());
  }
}

}  // namespace
}  // namespace sluice

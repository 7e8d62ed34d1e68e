#include "srtp/stream_table.h"

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// Remembers what was put into it, so that a stream that changes hands shows.
struct FakeStream {
  explicit FakeStream(size_t at) : place(at) {}
  void Reset() { value = 0; }

  size_t place;
  uint64_t value = 77;
};

StreamTable<FakeStream> MakeTable(size_t capacity) {
  return StreamTable<FakeStream>(capacity, [](size_t i) { return FakeStream(i); });
}

TEST(StreamTableTest, FindsWhatWasAddedAndNothingElse) {
  StreamTable<FakeStream> table = MakeTable(3);
  EXPECT_EQ(table.Find(Ssrc(1)), nullptr);
  FakeStream& one = table.Add(Ssrc(1));
  EXPECT_EQ(one.value, 0u) << "not reset";
  FakeStream& zero = table.Add(Ssrc(0));
  EXPECT_EQ(table.Find(Ssrc(1)), &one);
  EXPECT_EQ(table.Find(Ssrc(0)), &zero);
  EXPECT_EQ(table.Find(Ssrc(2)), nullptr);
  EXPECT_EQ(table.ssrc(one), Ssrc(1));
  EXPECT_EQ(table.size(), 2u);
  EXPECT_FALSE(table.full());
  table.Remove(one);
  EXPECT_EQ(table.Find(Ssrc(1)), nullptr);
  EXPECT_EQ(table.Find(Ssrc(0)), &zero);
}

TEST(StreamTableTest, OnlyTouchAndAddCountAsUse) {
  StreamTable<FakeStream> table = MakeTable(3);
  FakeStream& a = table.Add(Ssrc(10));
  FakeStream& b = table.Add(Ssrc(11));
  FakeStream& c = table.Add(Ssrc(12));
  EXPECT_TRUE(table.full());
  EXPECT_EQ(&table.least_recently_used(), &a);
  table.Find(Ssrc(10));
  EXPECT_EQ(&table.least_recently_used(), &a);
  table.Touch(a);
  EXPECT_EQ(&table.least_recently_used(), &b);
  table.Touch(c);
  EXPECT_EQ(&table.least_recently_used(), &b);
  table.Remove(b);
  EXPECT_EQ(&table.least_recently_used(), &a);
}

TEST(StreamTableTest, PlaceIsResetForItsNextSsrc) {
  StreamTable<FakeStream> table = MakeTable(1);
  table.Add(Ssrc(1)).value = 5;
  table.Remove(table.least_recently_used());
  EXPECT_EQ(table.Add(Ssrc(2)).value, 0u);
}

// Against a map and a list, with few SSRCs so that they come back, in tables of all kinds of size.
class StreamTableModelTest : public testing::TestWithParam<size_t> {};

INSTANTIATE_TEST_SUITE_P(Capacities, StreamTableModelTest,
                         testing::Values(1, 2, 3, 7, 8, 64, 100, 1024));

TEST_P(StreamTableModelTest, AgreesWithAMapAndAList) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(GetParam());
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  const size_t capacity = GetParam();
  StreamTable<FakeStream> table = MakeTable(capacity);
  std::map<uint32_t, uint64_t> values;
  std::list<uint32_t> newest_first;
  uint64_t next_value = 1;

  for (int step = 0; step < 40000; ++step) {
    const auto ssrc = static_cast<uint32_t>(random.Below(2 * capacity + 1) * 0x10001);
    FakeStream* stream = table.Find(Ssrc(ssrc));
    const auto known = values.find(ssrc);
    ASSERT_EQ(stream != nullptr, known != values.end()) << "step " << step;
    if (stream != nullptr) {
      ASSERT_EQ(stream->value, known->second) << "step " << step;
      ASSERT_EQ(table.ssrc(*stream), Ssrc(ssrc));
    }
    switch (random.Below(4)) {
      case 0:
      case 1:
        // Use it, whoever has to go.
        if (stream != nullptr) {
          table.Touch(*stream);
          newest_first.remove(ssrc);
        } else {
          if (table.full()) {
            ASSERT_EQ(table.ssrc(table.least_recently_used()), Ssrc(newest_first.back()));
            table.Remove(table.least_recently_used());
            values.erase(newest_first.back());
            newest_first.pop_back();
          }
          FakeStream& added = table.Add(Ssrc(ssrc));
          ASSERT_EQ(added.value, 0u);
          added.value = values[ssrc] = next_value++;
        }
        newest_first.push_front(ssrc);
        break;
      case 2:
        if (stream != nullptr && random.Below(4) == 0) {
          table.Remove(*stream);
          values.erase(ssrc);
          newest_first.remove(ssrc);
        }
        break;
      default:
        break;
    }
    ASSERT_EQ(table.size(), values.size());
    ASSERT_EQ(table.full(), values.size() == capacity);
    if (!newest_first.empty()) {
      ASSERT_EQ(table.ssrc(table.least_recently_used()), Ssrc(newest_first.back()));
    }
  }
  for (const auto& [ssrc, value] : values) {
    ASSERT_NE(table.Find(Ssrc(ssrc)), nullptr);
    EXPECT_EQ(table.Find(Ssrc(ssrc))->value, value);
  }
}

TEST(StreamTableTest, MakesEachPlaceOnce) {
  std::vector<size_t> places;
  StreamTable<FakeStream> table(5, [&](size_t i) {
    places.push_back(i);
    return FakeStream(i);
  });
  EXPECT_EQ(places, (std::vector<size_t>{0, 1, 2, 3, 4}));
  std::vector<size_t> used;
  for (uint32_t i = 0; i < 5; ++i) {
    used.push_back(table.Add(Ssrc(i)).place);
  }
  std::sort(used.begin(), used.end());
  EXPECT_EQ(used, places);
}

}  // namespace
}  // namespace sluice

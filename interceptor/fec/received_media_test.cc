#include "interceptor/fec/received_media.h"

#include <deque>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

TEST(ReceivedMediaTest, FindsWhatWasStoredAndWhetherItWasRecovered) {
  ReceivedMedia media(2, 16, 100);
  ASSERT_TRUE(media.Store(StreamSlot(1), -3, Bytes{1, 2}, false));
  ASSERT_TRUE(media.Store(StreamSlot(1), -2, Bytes{3}, true));
  EXPECT_THAT(media.Find(StreamSlot(1), -3)->bytes, ElementsAre(1, 2));
  EXPECT_FALSE(media.Find(StreamSlot(1), -3)->recovered);
  EXPECT_TRUE(media.Find(StreamSlot(1), -2)->recovered);
  EXPECT_FALSE(media.Find(StreamSlot(0), -3).has_value());
  EXPECT_FALSE(media.Find(StreamSlot(1), 65533).has_value());
}

TEST(ReceivedMediaTest, ANumberThatWrappedIsAnotherPacket) {
  ReceivedMedia media(1, 16, 100);
  ASSERT_TRUE(media.Store(StreamSlot(0), 5, Bytes{1}, false));
  EXPECT_FALSE(media.Find(StreamSlot(0), 5 + 65536).has_value());
}

TEST(ReceivedMediaTest, ALongerPacketIsRefused) {
  ReceivedMedia media(1, 16, 100);
  EXPECT_TRUE(media.Store(StreamSlot(0), 1, Bytes(100), false));
  EXPECT_FALSE(media.Store(StreamSlot(0), 2, Bytes(101), false));
  EXPECT_FALSE(media.Find(StreamSlot(0), 2).has_value());
}

TEST(ReceivedMediaTest, KeepsTheLastPacketsOfAllStreamsTogether) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(5);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  struct Stored {
    StreamSlot slot;
    int64_t sequence;
    Bytes bytes;
  };
  constexpr size_t kPackets = 24;
  ReceivedMedia media(3, kPackets, 20);
  std::deque<Stored> model;
  int64_t next[3] = {-10, 65530, 0};
  for (int i = 0; i < 3'000; ++i) {
    const StreamSlot slot(static_cast<uint16_t>(random.Below(3)));
    if (random.Below(100) == 0) {
      media.Forget(slot);
      for (Stored& stored : model) {
        if (stored.slot == slot) stored.slot = kNoStream;
      }
      continue;
    }
    Bytes bytes(random.Below(21));
    random.Fill(absl::MakeSpan(bytes));
    const int64_t sequence = next[slot.value()] += 1 + static_cast<int64_t>(random.Below(3));
    ASSERT_TRUE(media.Store(slot, sequence, bytes, false));
    model.push_back({slot, sequence, bytes});
    if (model.size() > kPackets) {
      if (model.front().slot != kNoStream) {
        ASSERT_FALSE(media.Find(model.front().slot, model.front().sequence).has_value());
      }
      model.pop_front();
    }
    for (const Stored& stored : model) {
      if (stored.slot == kNoStream) continue;
      const auto found = media.Find(stored.slot, stored.sequence);
      ASSERT_TRUE(found.has_value());
      ASSERT_EQ(Bytes(found->bytes.begin(), found->bytes.end()), stored.bytes);
    }
  }
}

}  // namespace
}  // namespace sluice

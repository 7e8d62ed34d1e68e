#include "interceptor/ccfb/sent_index.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(SentIndexTest, FindsPacketsByTheirNames) {
  SentIndex index(64);
  index.Add(Ssrc(1), SequenceNumber(100), 0);
  index.Add(Ssrc(2), SequenceNumber(100), 1);
  index.Add(Ssrc(1), SequenceNumber(101), 2);
  EXPECT_EQ(index.Find(Ssrc(1), SequenceNumber(100), 0), 0);
  EXPECT_EQ(index.Find(Ssrc(2), SequenceNumber(100), 0), 1);
  EXPECT_EQ(index.Find(Ssrc(1), SequenceNumber(101), 0), 2);
  EXPECT_EQ(index.Find(Ssrc(2), SequenceNumber(101), 0), std::nullopt);
  EXPECT_EQ(index.Find(Ssrc(3), SequenceNumber(100), 0), std::nullopt);
}

TEST(SentIndexTest, OfTwoPacketsWithOneNameTheLaterOneIsMeant) {
  SentIndex index(64);
  index.Add(Ssrc(1), SequenceNumber(100), 0);
  index.Add(Ssrc(1), SequenceNumber(100), 1);
  EXPECT_EQ(index.Find(Ssrc(1), SequenceNumber(100), 0), 1);
}

TEST(SentIndexTest, WhatTheLogForgotIsNotFound) {
  SentIndex index(64);
  index.Add(Ssrc(1), SequenceNumber(100), 0);
  EXPECT_EQ(index.Find(Ssrc(1), SequenceNumber(100), 1), std::nullopt);
}

TEST(SentIndexTest, NamesThatCollideCostABoundedSearch) {
  SentIndex index(1024);
  // All of them have one hash.
  for (int64_t i = 0; i < 64; ++i) {
    index.Add(Ssrc(1), SequenceNumber(static_cast<uint16_t>(1024 * i)), 2 * i);
    index.Add(Ssrc(1), SequenceNumber(static_cast<uint16_t>(1024 * i)), 2 * i + 1);
  }
  EXPECT_EQ(index.Find(Ssrc(1), SequenceNumber(63 * 1024), 0), 127);
  EXPECT_EQ(index.Find(Ssrc(1), SequenceNumber(40 * 1024), 0), 81);
  EXPECT_EQ(index.Find(Ssrc(1), SequenceNumber(0), 0), std::nullopt) << "beyond the bound";
}

// Against a list of everything.
TEST(SentIndexTest, FindsWhatAListWouldFind) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(17);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  constexpr int64_t kCapacity = 256;
  SentIndex index(kCapacity);
  std::deque<std::pair<uint32_t, uint16_t>> model;
  uint16_t next[4] = {0, 60'000, 65'500, 7};
  int64_t sent = 0;
  for (int step = 0; step < 50'000; ++step) {
    const auto stream = static_cast<uint32_t>(random.Below(4));
    if (random.Below(2) == 0) {
      index.Add(Ssrc(stream * 1000), SequenceNumber(next[stream]), sent++);
      model.emplace_back(stream * 1000, next[stream]++);
      if (model.size() > kCapacity) {
        model.pop_front();
      }
      continue;
    }
    const auto sequence = static_cast<uint16_t>(next[stream] - random.Below(150));
    const int64_t oldest = sent - static_cast<int64_t>(model.size());
    std::optional<int64_t> expected;
    for (size_t i = 0; i < model.size(); ++i) {
      if (model[i] == std::pair(stream * 1000, sequence)) {
        expected = oldest + static_cast<int64_t>(i);
      }
    }
    ASSERT_EQ(index.Find(Ssrc(stream * 1000), SequenceNumber(sequence), oldest), expected) << step;
  }
}

}  // namespace
}  // namespace sluice

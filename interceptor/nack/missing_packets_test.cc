#include "interceptor/nack/missing_packets.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Numbers = std::vector<uint16_t>;

constexpr int64_t kAll = INT64_MIN;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

Numbers Due(MissingPackets& missing, Timestamp now) {
  Numbers numbers;
  for (const SequenceNumber sequence : missing.Due(now)) {
    numbers.push_back(sequence.value());
  }
  return numbers;
}

// Asks for what is due; it is due again 100 ms later.
Numbers Ask(MissingPackets& missing, Timestamp now) {
  Numbers numbers = Due(missing, now);
  missing.MarkAsked(now, numbers.size(), now + TimeDelta::Millis(100), now + TimeDelta::Millis(5));
  return numbers;
}

TEST(MissingPacketsTest, NothingIsDueWhenNothingIsMissing) {
  MissingPackets missing(8, 3);
  EXPECT_TRUE(missing.empty());
  EXPECT_EQ(missing.next_due(), Timestamp::PlusInfinity());
  EXPECT_THAT(Due(missing, Ms(1000)), IsEmpty());
}

TEST(MissingPacketsTest, AskedForWhenDueAndNotBefore) {
  MissingPackets missing(8, 3);
  EXPECT_EQ(missing.Add(5, 8, Ms(10)), 0u);
  EXPECT_EQ(missing.next_due(), Ms(10));
  EXPECT_THAT(Ask(missing, Ms(9)), IsEmpty());
  EXPECT_THAT(Ask(missing, Ms(10)), ElementsAre(5, 6, 7));
  EXPECT_EQ(missing.next_due(), Ms(110));
  EXPECT_THAT(Ask(missing, Ms(109)), IsEmpty());
  EXPECT_THAT(Ask(missing, Ms(110)), ElementsAre(5, 6, 7));
}

TEST(MissingPacketsTest, WhatCameIsNotAskedFor) {
  MissingPackets missing(8, 3);
  missing.Add(5, 8, Ms(10));
  EXPECT_EQ(missing.Remove(6), 0);
  EXPECT_THAT(Ask(missing, Ms(10)), ElementsAre(5, 7));
  EXPECT_EQ(missing.Remove(7), 1);
  EXPECT_EQ(missing.Remove(7), std::nullopt);
  EXPECT_EQ(missing.Remove(4), std::nullopt);
  EXPECT_EQ(missing.Remove(100), std::nullopt);
  EXPECT_THAT(Ask(missing, Ms(110)), ElementsAre(5));
  EXPECT_EQ(missing.Remove(5), 2);
  EXPECT_EQ(missing.next_due(), Timestamp::PlusInfinity());
}

TEST(MissingPacketsTest, GivenUpAfterTheLastAttempt) {
  MissingPackets missing(8, 2);
  missing.Add(5, 6, Ms(0));
  EXPECT_EQ(missing.GiveUp(Ms(0), kAll), 0u);
  EXPECT_THAT(Ask(missing, Ms(0)), ElementsAre(5));
  EXPECT_THAT(Ask(missing, Ms(100)), ElementsAre(5));
  // The answer to the last one still has its time.
  EXPECT_EQ(missing.GiveUp(Ms(199), kAll), 0u);
  EXPECT_EQ(missing.GiveUp(Ms(200), kAll), 1u);
  EXPECT_TRUE(missing.empty());
}

TEST(MissingPacketsTest, GivenUpWhenTooOld) {
  MissingPackets missing(8, 2);
  missing.Add(5, 8, Ms(0));
  EXPECT_EQ(missing.GiveUp(Ms(0), 7), 2u);
  EXPECT_THAT(Ask(missing, Ms(0)), ElementsAre(7));
}

TEST(MissingPacketsTest, TheOldestMakeRoom) {
  MissingPackets missing(4, 2);
  EXPECT_EQ(missing.Add(0, 3, Ms(0)), 0u);
  EXPECT_EQ(missing.Add(10, 12, Ms(0)), 1u);
  EXPECT_EQ(missing.size(), 4u);
  EXPECT_THAT(Ask(missing, Ms(0)), ElementsAre(1, 2, 10, 11));
  EXPECT_EQ(missing.Add(20, 24, Ms(50)), 4u);
  EXPECT_EQ(missing.next_due(), Ms(50));
  EXPECT_THAT(Ask(missing, Ms(50)), ElementsAre(20, 21, 22, 23));
}

TEST(MissingPacketsTest, WhatFoundNoRoomIsAskedForSoonAndNotCounted) {
  MissingPackets missing(8, 1);
  missing.Add(5, 8, Ms(0));
  ASSERT_THAT(Due(missing, Ms(0)), ElementsAre(5, 6, 7));
  missing.MarkAsked(Ms(0), 1, Ms(100), Ms(5));
  EXPECT_EQ(missing.next_due(), Ms(5));
  EXPECT_THAT(Ask(missing, Ms(5)), ElementsAre(6, 7));
  EXPECT_EQ(missing.GiveUp(Ms(100), kAll), 1u);
  EXPECT_EQ(missing.GiveUp(Ms(105), kAll), 2u);
}

TEST(MissingPacketsTest, NumbersAreThoseOfTheWire) {
  MissingPackets missing(8, 1);
  missing.Add(-1, 1, Ms(0));
  missing.Add(65535, 65537, Ms(0));
  EXPECT_THAT(Due(missing, Ms(0)), ElementsAre(0xFFFF, 0, 0xFFFF, 0));
}

// The same with a map.
class Model {
 public:
  Model(size_t capacity, int max_attempts) : capacity_(capacity), max_attempts_(max_attempts) {}

  size_t Add(int64_t from, int64_t to, Timestamp due) {
    for (int64_t i = from; i < to; ++i) {
      missing_.emplace(i, Entry{due, 0});
    }
    size_t given_up = 0;
    for (; missing_.size() > capacity_; ++given_up) {
      missing_.erase(missing_.begin());
    }
    return given_up;
  }
  std::optional<int> Remove(int64_t sequence) {
    const auto found = missing_.find(sequence);
    if (found == missing_.end()) {
      return std::nullopt;
    }
    const int attempts = found->second.attempts;
    missing_.erase(found);
    return attempts;
  }
  size_t GiveUp(Timestamp now, int64_t oldest) {
    return std::erase_if(missing_, [&](const auto& entry) {
      return entry.first < oldest ||
             (entry.second.due <= now && entry.second.attempts >= max_attempts_);
    });
  }
  Numbers Due(Timestamp now) const {
    Numbers numbers;
    for (const auto& [sequence, entry] : missing_) {
      if (entry.due <= now) {
        numbers.push_back(static_cast<uint16_t>(sequence));
      }
    }
    return numbers;
  }
  void MarkAsked(Timestamp now, size_t count, Timestamp again, Timestamp later) {
    for (auto& [sequence, entry] : missing_) {
      if (entry.due > now) {
        continue;
      }
      entry.attempts += count > 0 ? 1 : 0;
      entry.due = count > 0 ? again : later;
      count -= count > 0 ? 1 : 0;
    }
  }
  Timestamp next_due() const {
    Timestamp next = Timestamp::PlusInfinity();
    for (const auto& [sequence, entry] : missing_) {
      next = std::min(next, entry.due);
    }
    return next;
  }
  size_t size() const { return missing_.size(); }

 private:
  struct Entry {
    Timestamp due;
    int attempts;
  };

  const size_t capacity_;
  const int max_attempts_;
  std::map<int64_t, Entry> missing_;
};

TEST(MissingPacketsTest, DoesWhatAMapDoes) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(2);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  MissingPackets missing(16, 3);
  Model model(16, 3);
  int64_t next = 100;
  Timestamp now = Ms(0);
  for (int step = 0; step < 50'000; ++step) {
    now += TimeDelta::Millis(static_cast<int64_t>(random.Below(30)));
    switch (random.Below(4)) {
      case 0: {
        const int64_t end = next + static_cast<int64_t>(random.Below(6));
        const Timestamp due = now + TimeDelta::Millis(10);
        ASSERT_EQ(missing.Add(next, end, due), model.Add(next, end, due));
        next = end + 1;
        break;
      }
      case 1: {
        const int64_t sequence = next - static_cast<int64_t>(random.Below(40));
        ASSERT_EQ(missing.Remove(sequence), model.Remove(sequence));
        break;
      }
      case 2:
        ASSERT_EQ(missing.GiveUp(now, next - 50), model.GiveUp(now, next - 50));
        break;
      default: {
        ASSERT_EQ(Due(missing, now), model.Due(now));
        const size_t count = random.Below(20);
        const Timestamp again = now + TimeDelta::Millis(100);
        const Timestamp later = now + TimeDelta::Millis(5);
        missing.MarkAsked(now, count, again, later);
        model.MarkAsked(now, count, again, later);
      }
    }
    ASSERT_EQ(missing.size(), model.size());
    ASSERT_LE(missing.next_due(), model.next_due());
    ASSERT_EQ(missing.next_due().IsFinite(), model.next_due().IsFinite());
  }
}

}  // namespace
}  // namespace sluice

#include "interceptor/nack/missing_packets.h"

#include <cstdint>
#include <optional>
#include <vector>

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

}  // namespace
}  // namespace sluice

#include "interceptor/nack/send_history.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using enum StoreVerdict;
using Bytes = std::vector<uint8_t>;

constexpr StreamSlot kVideo(0);
constexpr StreamSlot kAudio(3);

Bytes Packet(uint16_t sequence, size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<uint8_t>(sequence * 7 + i);
  }
  return bytes;
}

StoreVerdict Store(SendHistory& history, StreamSlot stream, uint16_t sequence, size_t size = 100) {
  return history.Store(Timestamp::Millis(sequence), stream, SequenceNumber(sequence),
                       Packet(sequence, size), Timestamp::MinusInfinity());
}

// The packet's bytes, nothing when it is not there.
std::optional<Bytes> Find(SendHistory& history, StreamSlot stream, uint16_t sequence) {
  const auto packet = history.Find(stream, SequenceNumber(sequence));
  return packet.has_value() ? std::optional(Bytes(packet->bytes.begin(), packet->bytes.end()))
                            : std::nullopt;
}

TEST(SendHistoryTest, LimitsArePowersOfTwo) {
  EXPECT_TRUE(SendHistory::AreValidLimits(16, 4096));
  EXPECT_TRUE(SendHistory::AreValidLimits(65536, size_t{64} << 20));
  EXPECT_FALSE(SendHistory::AreValidLimits(0, 4096));
  EXPECT_FALSE(SendHistory::AreValidLimits(8, 4096));
  EXPECT_FALSE(SendHistory::AreValidLimits(100, 4096));
  EXPECT_FALSE(SendHistory::AreValidLimits(131072, 4096));
  EXPECT_FALSE(SendHistory::AreValidLimits(16, 2048));
  EXPECT_FALSE(SendHistory::AreValidLimits(16, 5000));
  EXPECT_FALSE(SendHistory::AreValidLimits(16, size_t{128} << 20));
}

TEST(SendHistoryTest, GivesBackWhatWasStored) {
  SendHistory history(16, 4096);
  EXPECT_EQ(Find(history, kVideo, 5), std::nullopt);
  EXPECT_EQ(history.Store(Timestamp::Millis(7), kVideo, SequenceNumber(5), Packet(5, 60),
                          Timestamp::Millis(6)),
            kStored);
  const auto packet = history.Find(kVideo, SequenceNumber(5));
  ASSERT_TRUE(packet.has_value());
  EXPECT_EQ(Bytes(packet->bytes.begin(), packet->bytes.end()), Packet(5, 60));
  EXPECT_EQ(packet->stored, Timestamp::Millis(7));
  EXPECT_EQ(*packet->last_sent, Timestamp::Millis(6));
  *packet->last_sent = Timestamp::Millis(9);
  EXPECT_EQ(*history.Find(kVideo, SequenceNumber(5))->last_sent, Timestamp::Millis(9));
}

TEST(SendHistoryTest, StreamsHaveNumbersOfTheirOwn) {
  SendHistory history(16, 4096);
  ASSERT_EQ(Store(history, kVideo, 5, 50), kStored);
  EXPECT_EQ(Find(history, kAudio, 5), std::nullopt);
  ASSERT_EQ(Store(history, kAudio, 5, 70), kStored);
  EXPECT_EQ(Find(history, kVideo, 5), Packet(5, 50));
  EXPECT_EQ(Find(history, kAudio, 5), Packet(5, 70));
}

TEST(SendHistoryTest, TheFirstOfDuplicatesStands) {
  SendHistory history(16, 4096);
  ASSERT_EQ(Store(history, kVideo, 5, 50), kStored);
  EXPECT_EQ(Store(history, kVideo, 5, 70), kDuplicate);
  EXPECT_EQ(Find(history, kVideo, 5), Packet(5, 50));
  EXPECT_EQ(history.size(), 1u);
}

TEST(SendHistoryTest, APacketOf1500BytesIsRememberedAndALongerOneThanAnySocketTakesIsNot) {
  SendHistory history(16, 4096);
  EXPECT_EQ(Store(history, kVideo, 1, 1500), kStored);
  EXPECT_EQ(Store(history, kVideo, 2, kMaxHistoryPacketSize), kStored);
  EXPECT_EQ(Store(history, kVideo, 3, kMaxHistoryPacketSize + 1), kTooLong);
  EXPECT_EQ(Find(history, kVideo, 1), Packet(1, 1500));
  EXPECT_EQ(Find(history, kVideo, 2), Packet(2, kMaxHistoryPacketSize));
  EXPECT_EQ(Find(history, kVideo, 3), std::nullopt);
}

TEST(SendHistoryTest, AVeryLatePacketPushesOutTheOldestAndNotANewerOne) {
  SendHistory history(16, 4096);
  for (uint16_t i = 100; i < 116; ++i) {
    ASSERT_EQ(Store(history, kVideo, i), kStored);
  }
  // The same place as 100 in any table of sixteen.
  ASSERT_EQ(Store(history, kVideo, 84), kStored);
  EXPECT_EQ(Find(history, kVideo, 100), std::nullopt);
  EXPECT_EQ(Find(history, kVideo, 84), Packet(84, 100));
  for (uint16_t i = 101; i < 116; ++i) {
    EXPECT_EQ(Find(history, kVideo, i), Packet(i, 100)) << i;
  }
}

TEST(SendHistoryTest, BytesAreALimitOfTheirOwn) {
  SendHistory history(1024, 4096);
  for (uint16_t i = 0; i < 10; ++i) {
    ASSERT_EQ(Store(history, kVideo, i, 1000), kStored);
  }
  EXPECT_EQ(history.size(), 4u);
  EXPECT_EQ(Find(history, kVideo, 5), std::nullopt);
  EXPECT_EQ(Find(history, kVideo, 6), Packet(6, 1000));
}

TEST(SendHistoryTest, WhatIsForgottenIsNotFoundByWhoComesNext) {
  SendHistory history(16, 4096);
  Store(history, kVideo, 5);
  Store(history, kAudio, 5);
  history.Forget(kVideo);
  EXPECT_EQ(Find(history, kVideo, 5), std::nullopt);
  EXPECT_EQ(Find(history, kAudio, 5), Packet(5, 100));
  EXPECT_EQ(Store(history, kVideo, 5, 60), kStored);
  EXPECT_EQ(Find(history, kVideo, 5), Packet(5, 60));
}

TEST(SendHistoryTest, FindsWhatAListOfPacketsHas) {
  constexpr size_t kPackets = 32;
  struct Sent {
    StreamSlot stream;
    uint16_t sequence;
    size_t size;
  };
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  SendHistory history(kPackets, 8192);
  std::deque<Sent> sent;
  for (int step = 0; step < 20'000; ++step) {
    const StreamSlot stream(static_cast<uint16_t>(random.Below(3)));
    const auto sequence =
        static_cast<uint16_t>(random.Below(2) * 32768 + static_cast<uint64_t>(step / 10) +
                              random.Below(random.Below(10) == 0 ? 2000 : 8));
    const size_t size = 12 + random.Below(random.Below(4) == 0 ? 1500 : 200);
    if (random.Below(500) == 0 && step < 15'000) {
      history.Forget(stream);
      std::erase_if(sent, [&](const Sent& s) { return s.stream == stream; });
    }
    const bool there = std::any_of(sent.begin(), sent.end(), [&](const Sent& s) {
      return s.stream == stream && s.sequence == sequence;
    });
    ASSERT_EQ(Store(history, stream, sequence, size), there ? kDuplicate : kStored);
    if (!there) {
      sent.push_back({stream, sequence, size});
    }
    // What the history does not have any more is the oldest, and no more than it must be.
    while (!sent.empty() &&
           Find(history, sent.front().stream, sent.front().sequence) == std::nullopt) {
      sent.pop_front();
    }
    size_t bytes = 0;
    for (const Sent& s : sent) {
      ASSERT_EQ(Find(history, s.stream, s.sequence), Packet(s.sequence, s.size));
      bytes += s.size;
    }
    ASSERT_LE(sent.size(), kPackets);
    ASSERT_LE(bytes, 8192u);
    // The end of the ring may be empty, less than a packet of it; no other room is lost.
    ASSERT_TRUE(step < 16'000 || sent.size() == kPackets || bytes + 3 * 1512 > 8192)
        << sent.size() << " packets, " << bytes << " bytes";
  }
}

}  // namespace
}  // namespace sluice

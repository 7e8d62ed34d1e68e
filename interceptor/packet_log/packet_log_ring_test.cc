#include "interceptor/packet_log/packet_log_ring.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Bytes = std::vector<uint8_t>;

constexpr auto kIn = PacketDirection::kIncoming;
constexpr auto kOut = PacketDirection::kOutgoing;

Timestamp Us(int64_t us) { return Timestamp::Micros(us); }

std::unique_ptr<PacketLogRing> Ring(size_t records, size_t snap_length) {
  auto ring = PacketLogRing::Create({.records = records, .snap_length = snap_length});
  EXPECT_TRUE(ring.ok()) << ring.status();
  return *std::move(ring);
}

TEST(PacketLogRingTest, RefusesOptionsOutOfRange) {
  for (const PacketLogRingOptions& options : std::vector<PacketLogRingOptions>{
           {.records = 0}, {.records = 65537}, {.snap_length = 11}, {.snap_length = 2049}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(PacketLogRing::Create(options).status()))
        << options.records << " " << options.snap_length;
  }
  EXPECT_TRUE(PacketLogRing::Create({.records = 1, .snap_length = 12}).ok());
  EXPECT_TRUE(PacketLogRing::Create({.records = 2, .snap_length = 2048}).ok());
}

TEST(PacketLogRingTest, GivesWhatWasPushedInOrder) {
  const std::unique_ptr<PacketLogRing> ring = Ring(2, 12);
  EXPECT_FALSE(ring->Front().has_value());
  EXPECT_TRUE(ring->Push(Us(7), kIn, PacketKind::kRtp, Bytes{1, 2, 3}));
  EXPECT_TRUE(ring->Push(Us(8), kOut, PacketKind::kRtcp, Bytes{4}));
  std::optional<PacketLogRecord> record = ring->Front();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->time, Us(7));
  EXPECT_EQ(record->direction, kIn);
  EXPECT_EQ(record->kind, PacketKind::kRtp);
  EXPECT_EQ(record->original_size, 3u);
  EXPECT_EQ(record->dropped_before, 0u);
  EXPECT_THAT(record->bytes, ElementsAre(1, 2, 3));
  ring->Pop();
  record = ring->Front();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->time, Us(8));
  EXPECT_EQ(record->direction, kOut);
  EXPECT_EQ(record->kind, PacketKind::kRtcp);
  EXPECT_THAT(record->bytes, ElementsAre(4));
  ring->Pop();
  EXPECT_FALSE(ring->Front().has_value());
}

TEST(PacketLogRingTest, DropsAndCountsByDirectionWhenNobodyTakes) {
  const std::unique_ptr<PacketLogRing> ring = Ring(1, 12);
  EXPECT_TRUE(ring->Push(Us(1), kIn, PacketKind::kRtp, Bytes{1}));
  EXPECT_FALSE(ring->Push(Us(2), kIn, PacketKind::kRtp, Bytes{2}));
  EXPECT_FALSE(ring->Push(Us(3), kOut, PacketKind::kRtp, Bytes{3}));
  EXPECT_FALSE(ring->Push(Us(4), kIn, PacketKind::kRtp, Bytes{4}));
  EXPECT_EQ(ring->counters(kIn).logged, 1u);
  EXPECT_EQ(ring->counters(kIn).dropped, 2u);
  EXPECT_EQ(ring->counters(kOut).logged, 0u);
  EXPECT_EQ(ring->counters(kOut).dropped, 1u);
  // What was there stays; the next of each direction tells of its losses, once.
  EXPECT_THAT(ring->Front()->bytes, ElementsAre(1));
  ring->Pop();
  EXPECT_TRUE(ring->Push(Us(5), kIn, PacketKind::kRtp, Bytes{5}));
  EXPECT_EQ(ring->Front()->dropped_before, 2u);
  ring->Pop();
  EXPECT_TRUE(ring->Push(Us(6), kIn, PacketKind::kRtp, Bytes{6}));
  EXPECT_EQ(ring->Front()->dropped_before, 0u);
  ring->Pop();
  EXPECT_TRUE(ring->Push(Us(7), kOut, PacketKind::kRtp, Bytes{7}));
  EXPECT_EQ(ring->Front()->dropped_before, 1u);
}

TEST(PacketLogRingTest, CutsLongPacketsAndTakesEmptyOnes) {
  const std::unique_ptr<PacketLogRing> ring = Ring(8, 12);
  // The packet in the slot behind is not touched.
  for (const size_t size : {0, 1, 11, 12, 13, 2048, 65535, 1'000'000}) {
    const Bytes packet(size, 0xAB);
    ASSERT_TRUE(ring->Push(Us(1), kOut, PacketKind::kRtp, packet));
  }
  for (const size_t size : {0, 1, 11, 12, 13, 2048, 65535, 1'000'000}) {
    const std::optional<PacketLogRecord> record = ring->Front();
    EXPECT_EQ(record->original_size, size);
    EXPECT_EQ(record->bytes.size(), std::min<size_t>(size, 12));
    ring->Pop();
  }
  EXPECT_EQ(ring->counters(kOut).cut, 4u);
}

TEST(PacketLogRingTest, IsClosedWithPacketsInIt) {
  const std::unique_ptr<PacketLogRing> ring = Ring(2, 12);
  EXPECT_TRUE(ring->Push(Us(1), kIn, PacketKind::kRtp, Bytes{1}));
  EXPECT_FALSE(ring->closed());
  ring->Close();
  EXPECT_TRUE(ring->closed());
  EXPECT_TRUE(ring->Front().has_value());
}

TEST(PacketLogRingTest, TakesTheMemoryItSays) {
  EXPECT_GE(PacketLogRing::MemorySize({.records = 100, .snap_length = 1000}), 100'000u);
  EXPECT_LE(PacketLogRing::MemorySize({.records = 100, .snap_length = 1000}), 110'000u);
}

// Any list of operations against a queue that keeps everything.
TEST(PacketLogRingTest, AgreesWithAQueueForAnyOperations) {
  struct Kept {
    Timestamp time;
    PacketDirection direction;
    PacketKind kind;
    uint64_t dropped_before;
    Bytes packet;
  };
  const uint64_t seed = SeededRandom::SeedFromEnvOr(20260117);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int list = 0; list < 200; ++list) {
    const size_t records = 1 + random.Below(9);
    const size_t snap_length = 12 + random.Below(20);
    const std::unique_ptr<PacketLogRing> ring = Ring(records, snap_length);
    std::deque<Kept> model;
    std::array<PacketLogCounters, 2> counters;
    std::array<uint64_t, 2> untold{};
    // Some lists are mostly full, some mostly empty.
    const uint64_t pushes = 20 + random.Below(60);
    for (int step = 0; step < 500; ++step) {
      if (random.Below(100) < pushes) {
        const PacketDirection direction = random.Below(2) == 0 ? kIn : kOut;
        const PacketKind kind = random.Below(2) == 0 ? PacketKind::kRtp : PacketKind::kRtcp;
        Bytes packet(random.Below(40));
        random.Fill(absl::MakeSpan(packet));
        PacketLogCounters& counts = counters[static_cast<size_t>(direction)];
        uint64_t& lost = untold[static_cast<size_t>(direction)];
        ASSERT_EQ(ring->Push(Us(step), direction, kind, packet), model.size() < records);
        if (model.size() < records) {
          model.push_back({Us(step), direction, kind, lost, packet});
          lost = 0;
          ++counts.logged;
          counts.cut += packet.size() > snap_length ? 1 : 0;
        } else {
          ++lost;
          ++counts.dropped;
        }
      } else {
        const std::optional<PacketLogRecord> record = ring->Front();
        ASSERT_EQ(record.has_value(), !model.empty());
        if (!record.has_value()) continue;
        const Kept& want = model.front();
        ASSERT_EQ(record->time, want.time);
        ASSERT_EQ(record->direction, want.direction);
        ASSERT_EQ(record->kind, want.kind);
        ASSERT_EQ(record->dropped_before, want.dropped_before);
        ASSERT_EQ(record->original_size, want.packet.size());
        ASSERT_THAT(record->bytes,
                    ElementsAreArray(absl::MakeConstSpan(want.packet).subspan(0, snap_length)));
        ring->Pop();
        model.pop_front();
      }
    }
    for (const PacketDirection direction : {kIn, kOut}) {
      const PacketLogCounters& want = counters[static_cast<size_t>(direction)];
      EXPECT_EQ(ring->counters(direction).logged, want.logged);
      EXPECT_EQ(ring->counters(direction).cut, want.cut);
      EXPECT_EQ(ring->counters(direction).dropped, want.dropped);
    }
  }
}

TEST(PacketLogRingTest, AllocatesNothingOnceItIsMade) {
  const std::unique_ptr<PacketLogRing> ring = Ring(16, 1500);
  const Bytes packet(1200, 1);
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < 10'000; ++i) {
    ring->Push(Us(i), i % 2 == 0 ? kIn : kOut, PacketKind::kRtp, packet);
    if (i % 3 != 0) {
      if (ring->Front().has_value()) ring->Pop();
    }
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_GT(ring->counters(kIn).dropped, 0u);
}

TEST(PacketLogRingDeathTest, PopNeedsAPacketThatFrontGave) {
  const std::unique_ptr<PacketLogRing> ring = Ring(2, 12);
  EXPECT_DEATH(ring->Pop(), "Front");
}

}  // namespace
}  // namespace sluice

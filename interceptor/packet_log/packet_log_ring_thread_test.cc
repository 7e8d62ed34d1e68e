// A worker and a writer at once. Under ThreadSanitizer it also finds every access that the two do
// not hand over.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "interceptor/packet_log/packet_log_ring.h"

namespace sluice {
namespace {

constexpr uint64_t kPackets = 200'000;
constexpr size_t kMaxSize = 96;

PacketDirection DirectionOf(uint64_t number) {
  return number % 3 == 0 ? PacketDirection::kOutgoing : PacketDirection::kIncoming;
}
size_t SizeOf(uint64_t number) { return 8 + number * 7 % (kMaxSize - 8); }

// Eight bytes of number, then its lowest byte all over.
void Write(uint64_t number, absl::Span<uint8_t> packet) {
  StoreBe64(packet.data(), number);
  for (uint8_t& byte : packet.subspan(8)) {
    byte = static_cast<uint8_t>(number);
  }
}

void PushAll(PacketLogRing& ring) {
  std::array<uint8_t, kMaxSize> buffer;
  for (uint64_t number = 0; number < kPackets; ++number) {
    const absl::Span<uint8_t> packet = absl::MakeSpan(buffer).first(SizeOf(number));
    Write(number, packet);
    ring.Push(Timestamp::Micros(static_cast<int64_t>(number)), DirectionOf(number),
              PacketKind::kRtp, packet);
  }
  ring.Close();
}

TEST(PacketLogRingThreadTest, PacketsAreWholeAndEveryLossIsTold) {
  const std::unique_ptr<PacketLogRing> ring =
      *PacketLogRing::Create({.records = 64, .snap_length = kMaxSize});
  std::thread worker([&] { PushAll(*ring); });
  // Packets of each direction that were taken, or told to be lost.
  std::array<uint64_t, 2> taken{};
  std::array<uint64_t, 2> lost{};
  uint64_t torn = 0;
  uint64_t disordered = 0;
  int64_t last = -1;
  for (;;) {
    // Asked first: what was pushed before it is seen after it.
    const bool closed = ring->closed();
    const std::optional<PacketLogRecord> record = ring->Front();
    if (!record.has_value()) {
      if (closed) break;
      std::this_thread::yield();
      continue;
    }
    const auto number = static_cast<uint64_t>(record->time.us());
    std::array<uint8_t, kMaxSize> want;
    Write(number, absl::MakeSpan(want).first(SizeOf(number)));
    const bool whole = record->bytes == absl::MakeConstSpan(want).first(SizeOf(number)) &&
                       record->direction == DirectionOf(number);
    torn += whole ? 0 : 1;
    disordered += record->time.us() > last ? 0 : 1;
    last = record->time.us();
    const auto direction = static_cast<size_t>(record->direction);
    ++taken[direction];
    lost[direction] += record->dropped_before;
    ring->Pop();
  }
  worker.join();
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(disordered, 0u);
  uint64_t all = 0;
  for (const PacketDirection direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    const PacketLogCounters counters = ring->counters(direction);
    EXPECT_EQ(taken[static_cast<size_t>(direction)], counters.logged);
    // Those behind the last record have none to tell of them.
    EXPECT_LE(lost[static_cast<size_t>(direction)], counters.dropped);
    all += counters.logged + counters.dropped;
  }
  EXPECT_EQ(all, kPackets);
}

}  // namespace
}  // namespace sluice

#include "interceptor/packet_log/packet_log_ring.h"

#include <algorithm>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {
namespace {

// 128 MiB at the longest snap length: what one leg under examination may cost.
constexpr size_t kMaxRecords = 65536;
// RTP's fixed header (RFC 3550 section 5.1).
constexpr size_t kMinSnapLength = 12;
constexpr size_t kMaxSnapLength = kPacketSlotSize;

// Only one thread writes, so that reading and writing need not be one operation.
void Increment(std::atomic<uint64_t>& count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PacketLogRing>> PacketLogRing::Create(
    const PacketLogRingOptions& options) {
  if (options.records < 1 || options.records > kMaxRecords) {
    return absl::InvalidArgumentError(
        absl::StrCat("records is ", options.records, ", want 1..", kMaxRecords));
  }
  if (options.snap_length < kMinSnapLength || options.snap_length > kMaxSnapLength) {
    return absl::InvalidArgumentError(absl::StrCat(
        "snap_length is ", options.snap_length, ", want ", kMinSnapLength, "..", kMaxSnapLength));
  }
  return absl::WrapUnique(new PacketLogRing(options));
}

size_t PacketLogRing::MemorySize(const PacketLogRingOptions& options) {
  return sizeof(PacketLogRing) + options.records * (sizeof(Slot) + options.snap_length);
}

PacketLogRing::PacketLogRing(const PacketLogRingOptions& options)
    : snap_length_(options.snap_length),
      slots_(options.records),
      bytes_(options.records * options.snap_length) {}

bool PacketLogRing::Push(Timestamp time, PacketDirection direction, PacketKind kind,
                         absl::Span<const uint8_t> bytes) {
  Counts& counts = counts_[static_cast<size_t>(direction)];
  const uint64_t position = pushed_.load(std::memory_order_relaxed);
  if (position - taken_seen_ == slots_.size()) {
    // Acquire: whoever takes has read the slot that is written next.
    taken_seen_ = taken_.load(std::memory_order_acquire);
    if (position - taken_seen_ == slots_.size()) {
      Increment(counts.dropped);
      return false;
    }
  }
  const uint64_t dropped = counts.dropped.load(std::memory_order_relaxed);
  const size_t size = std::min(bytes.size(), snap_length_);
  slots_[push_slot_] = {
      .time_us = time.us(),
      .dropped_before = dropped - counts.told,
      .original_size = static_cast<uint32_t>(std::min<size_t>(bytes.size(), UINT32_MAX)),
      .size = static_cast<uint32_t>(size),
      .direction = direction,
      .kind = kind};
  CopyBytes(BytesOf(push_slot_), bytes.first(size));
  push_slot_ = push_slot_ + 1 == slots_.size() ? 0 : push_slot_ + 1;
  counts.told = dropped;
  Increment(counts.logged);
  if (size < bytes.size()) {
    Increment(counts.cut);
  }
  pushed_.store(position + 1, std::memory_order_release);
  return true;
}

std::optional<PacketLogRecord> PacketLogRing::Front() {
  const uint64_t position = taken_.load(std::memory_order_relaxed);
  if (position == pushed_seen_) {
    pushed_seen_ = pushed_.load(std::memory_order_acquire);
    if (position == pushed_seen_) {
      return std::nullopt;
    }
  }
  const Slot& slot = slots_[take_slot_];
  return PacketLogRecord{.time = Timestamp::Micros(slot.time_us),
                         .direction = slot.direction,
                         .kind = slot.kind,
                         .original_size = slot.original_size,
                         .dropped_before = slot.dropped_before,
                         .bytes = BytesOf(take_slot_).first(slot.size)};
}

void PacketLogRing::Pop() {
  const uint64_t position = taken_.load(std::memory_order_relaxed);
  SLUICE_CHECK(position != pushed_seen_) << "Pop without a packet that Front gave";
  take_slot_ = take_slot_ + 1 == slots_.size() ? 0 : take_slot_ + 1;
  taken_.store(position + 1, std::memory_order_release);
}

PacketLogCounters PacketLogRing::counters(PacketDirection direction) const {
  const Counts& counts = counts_[static_cast<size_t>(direction)];
  return {.logged = counts.logged.load(std::memory_order_relaxed),
          .cut = counts.cut.load(std::memory_order_relaxed),
          .dropped = counts.dropped.load(std::memory_order_relaxed)};
}

}  // namespace sluice

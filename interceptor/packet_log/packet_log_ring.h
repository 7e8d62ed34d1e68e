#ifndef INTERCEPTOR_PACKET_LOG_PACKET_LOG_RING_H_
#define INTERCEPTOR_PACKET_LOG_PACKET_LOG_RING_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"

namespace sluice {

struct PacketLogRingOptions {
  // Packets that may wait for the writer, 1..65536. At 2 Mbit/s of video each way some 400 a
  // second: more than a second.
  size_t records = 512;
  // Bytes kept of each, 12..2048: RTP's fixed header (RFC 3550 section 5.1) at least, all that a
  // slot holds at most. What is behind is cut.
  size_t snap_length = kMaxDatagramSize;
};

// One logged packet.
struct PacketLogRecord {
  Timestamp time;
  PacketDirection direction;
  PacketKind kind;
  // Bytes of the packet; more than `bytes` has when it was cut.
  size_t original_size;
  // Packets of this direction that found no room since its last record.
  uint64_t dropped_before;
  absl::Span<const uint8_t> bytes;
};

// Since construction, of one direction.
struct PacketLogCounters {
  // In the ring, now or once; cut to the snap length among them.
  uint64_t logged = 0;
  uint64_t cut = 0;
  // No room.
  uint64_t dropped = 0;
};

// Copies of packets on their way from a worker, which pushes, to one other thread, which takes.
// Bounded and without locks: what finds no room is counted and lost, and the worker never waits.
// Memory is taken when the ring is made.
class PacketLogRing {
 public:
  // InvalidArgument when an option is out of its range.
  static absl::StatusOr<std::unique_ptr<PacketLogRing>> Create(const PacketLogRingOptions& options);
  // Bytes that a ring takes.
  static size_t MemorySize(const PacketLogRingOptions& options);
  PacketLogRing(const PacketLogRing&) = delete;
  PacketLogRing& operator=(const PacketLogRing&) = delete;

  // ---- The worker's thread. ----

  // Copies a packet. False when it was dropped. `bytes` may have any size.
  bool Push(Timestamp time, PacketDirection direction, PacketKind kind,
            absl::Span<const uint8_t> bytes);
  // There will be no more packets; the worker touches the ring no more.
  void Close() { closed_.store(true, std::memory_order_release); }

  // ---- The thread that takes. ----

  // The oldest packet, good until Pop; nothing when there is none.
  std::optional<PacketLogRecord> Front();
  // Gives the room of the packet that Front gave back to the worker.
  void Pop();
  // Closed: the ring belongs to this thread alone. Packets may still be in it.
  bool closed() const { return closed_.load(std::memory_order_acquire); }

  // ---- Any thread. ----

  PacketLogCounters counters(PacketDirection direction) const;
  size_t capacity() const { return slots_.size(); }
  size_t snap_length() const { return snap_length_; }

 private:
  struct Slot {
    int64_t time_us;
    uint64_t dropped_before;
    uint32_t original_size;
    uint32_t size;
    PacketDirection direction;
    PacketKind kind;
  };
  // Written by the worker alone.
  struct Counts {
    std::atomic<uint64_t> logged{0};
    std::atomic<uint64_t> cut{0};
    std::atomic<uint64_t> dropped{0};
    // The count of dropped packets that the last record told.
    uint64_t told = 0;
  };

  explicit PacketLogRing(const PacketLogRingOptions& options);

  absl::Span<uint8_t> BytesOf(size_t slot) {
    return absl::MakeSpan(bytes_).subspan(slot * snap_length_, snap_length_);
  }

  const size_t snap_length_;
  std::vector<Slot> slots_;
  std::vector<uint8_t> bytes_;
  // On cache lines of their own: the first belong to the worker, the others to who takes. Positions
  // count up for ever, each written by one thread.
  alignas(64) std::atomic<uint64_t> pushed_{0};
  // What was last seen of `taken_`, so that it is looked at only when the ring seems full.
  uint64_t taken_seen_ = 0;
  // pushed_ modulo the number of slots.
  size_t push_slot_ = 0;
  std::array<Counts, 2> counts_;
  std::atomic<bool> closed_{false};
  alignas(64) std::atomic<uint64_t> taken_{0};
  uint64_t pushed_seen_ = 0;
  size_t take_slot_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_PACKET_LOG_PACKET_LOG_RING_H_

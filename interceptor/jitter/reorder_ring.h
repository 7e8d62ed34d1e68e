#ifndef INTERCEPTOR_JITTER_REORDER_RING_H_
#define INTERCEPTOR_JITTER_REORDER_RING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/timestamp.h"
#include "interceptor/intercepted_packet.h"
#include "srtp/packet_arena.h"

namespace sluice {

// A packet that waits for its turn.
struct HeldPacket {
  // Empty: the number is accounted for, and there is nothing to give.
  PacketLoan packet;
  PacketSource source = PacketSource::kForwarded;
  // In the ring: not later than that of any packet behind it.
  Timestamp arrival = Timestamp::MinusInfinity();
  // Where the packet stands in the media, in microseconds from an origin of the stream's.
  int64_t media_us = 0;
};

// What a sequence number means for the ring.
enum class RingVerdict : uint8_t {
  kFits,
  // In front of the ring's end, once its first packets are given.
  kOverflow,
  // Its turn is over.
  kLate,
  // Is held already.
  kDuplicate,
  // Far from all others, and alone so far.
  kFar,
  // The second in a row far from all others: the source began anew, and what is held is to be given
  // first.
  kRestart,
};

// Packets of one stream in the order of their numbers, at most `capacity` numbers apart. Knows no
// time. All memory is taken in the constructor.
class ReorderRing {
 public:
  static constexpr size_t kMinCapacity = 16;
  static constexpr size_t kMaxCapacity = 4096;
  static bool IsValidCapacity(size_t capacity);

  struct Place {
    RingVerdict verdict;
    // Unwrapped.
    int64_t sequence;
  };

  // `capacity` is valid.
  explicit ReorderRing(size_t capacity) : slots_(capacity), mask_(capacity - 1) {}

  // Where the packet would go. Nothing changes but what is remembered of far ones.
  Place Find(uint16_t sequence);

  // Stores at a place for which Find says kFits. A packet in front of others counts as having come
  // with the first of them: they wait no longer for it than they would without it.
  void Store(int64_t sequence, HeldPacket held);

  bool empty() const { return size_ == 0; }
  // Placeholders included.
  size_t size() const { return size_; }
  // The held packet with the lowest number; the ring is not empty.
  const HeldPacket& front() const { return slots_[Index(front_)].held; }
  // The next number to be given, before which all turns are over; and the first that is held.
  int64_t next() const { return next_; }
  int64_t front_sequence() const { return front_; }
  // Gives the front; `skipped` becomes how many numbers in front of it never came.
  HeldPacket PopFront(int64_t& skipped);

  // The ring, which is empty, is to go on with `sequence`, in front of next(). How many numbers are
  // skipped.
  int64_t SkipTo(int64_t sequence);

  // Everything held is dropped, and the next number is the first.
  void Clear();

 private:
  struct Slot {
    bool used = false;
    HeldPacket held;
  };

  size_t Index(int64_t sequence) const { return static_cast<size_t>(sequence) & mask_; }
  int64_t capacity() const { return static_cast<int64_t>(slots_.size()); }
  Place FindFar(uint16_t sequence, int64_t unwrapped);

  std::vector<Slot> slots_;
  size_t mask_;
  size_t size_ = 0;
  bool started_ = false;
  // Something was given: what is in front of it is late.
  bool given_ = false;
  int64_t next_ = 0;
  // Both of what is held.
  int64_t front_ = 0;
  int64_t newest_ = 0;
  // What must come next to believe a restart; none when above 2^16.
  uint32_t far_next_ = 0x10000;
};

}  // namespace sluice

#endif  // INTERCEPTOR_JITTER_REORDER_RING_H_

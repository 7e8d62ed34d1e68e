#include "interceptor/jitter/reorder_ring.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"

namespace sluice {
namespace {

// What is further in front, or further behind, is not on its way in this sequence (RFC 3550
// appendix A.1 has 3000 and 100; a buffer that waits for repair sees packets that are later).
constexpr int64_t kMaxDropout = 3000;
constexpr int64_t kMaxMisorder = 1000;
constexpr uint32_t kNoFar = 0x10000;

}  // namespace

bool ReorderRing::IsValidCapacity(size_t capacity) {
  return capacity >= kMinCapacity && capacity <= kMaxCapacity && std::has_single_bit(capacity);
}

ReorderRing::Place ReorderRing::Find(uint16_t sequence) {
  if (!started_) {
    return {RingVerdict::kFits, sequence};
  }
  // The nearest of all numbers that end like that.
  const int64_t distance = static_cast<int16_t>(sequence - static_cast<uint16_t>(next_));
  const int64_t unwrapped = next_ + distance;
  if (distance < 0) {
    if (distance < -kMaxMisorder) {
      return FindFar(sequence, unwrapped);
    }
    const bool room = !given_ && size_ > 0 && newest_ - unwrapped < capacity();
    return {room ? RingVerdict::kFits : RingVerdict::kLate, unwrapped};
  }
  if (distance < capacity()) {
    return {slots_[Index(unwrapped)].used ? RingVerdict::kDuplicate : RingVerdict::kFits,
            unwrapped};
  }
  if (distance >= std::max(kMaxDropout, 2 * capacity())) {
    return FindFar(sequence, unwrapped);
  }
  return {RingVerdict::kOverflow, unwrapped};
}

ReorderRing::Place ReorderRing::FindFar(uint16_t sequence, int64_t unwrapped) {
  const bool second = sequence == far_next_;
  far_next_ = second ? kNoFar : (sequence + 1u) & 0xFFFF;
  return {second ? RingVerdict::kRestart : RingVerdict::kFar, unwrapped};
}

void ReorderRing::Store(int64_t sequence, HeldPacket held) {
  if (!started_) {
    started_ = true;
    next_ = sequence;
  }
  next_ = std::min(next_, sequence);
  if (size_ > 0 && sequence < newest_) {
    int64_t behind = sequence + 1;
    while (!slots_[Index(behind)].used) {
      ++behind;
    }
    held.arrival = std::min(held.arrival, slots_[Index(behind)].held.arrival);
  }
  SLUICE_DCHECK(sequence - next_ < capacity());
  Slot& slot = slots_[Index(sequence)];
  SLUICE_DCHECK(!slot.used);
  slot.used = true;
  slot.held = std::move(held);
  front_ = size_ == 0 ? sequence : std::min(front_, sequence);
  newest_ = size_ == 0 ? sequence : std::max(newest_, sequence);
  ++size_;
  far_next_ = kNoFar;
}

HeldPacket ReorderRing::PopFront(int64_t& skipped) {
  SLUICE_CHECK(size_ > 0);
  Slot& slot = slots_[Index(front_)];
  slot.used = false;
  HeldPacket held = std::move(slot.held);
  skipped = front_ - next_;
  next_ = front_ + 1;
  given_ = true;
  if (--size_ > 0) {
    do {
      ++front_;
    } while (!slots_[Index(front_)].used);
  }
  return held;
}

int64_t ReorderRing::SkipTo(int64_t sequence) {
  SLUICE_DCHECK(size_ == 0 && sequence >= next_);
  const int64_t skipped = sequence - next_;
  next_ = sequence;
  return skipped;
}

void ReorderRing::Clear() {
  // From the first to the last: an empty ring costs nothing to clear.
  for (int64_t n = front_; size_ > 0 && n <= newest_; ++n) {
    Slot& slot = slots_[Index(n)];
    slot.used = false;
    slot.held.packet.Return();
  }
  size_ = 0;
  started_ = false;
  given_ = false;
  next_ = 0;
  far_next_ = kNoFar;
}

}  // namespace sluice

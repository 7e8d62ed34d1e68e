#ifndef SRTP_PACKET_ARENA_H_
#define SRTP_PACKET_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/config.h"
#include "absl/types/span.h"
#include "base/check.h"

namespace sluice {

// One slot holds one packet from receive to send. The datagram is received behind the headroom, so
// that a longer header can be written in front of it, and is encrypted in place, so that tag, MKI
// and SRTCP index are written behind it: no packet is ever copied to grow.
inline constexpr size_t kPacketSlotSize = 2048;
// Room in front: extension rewriting (32 bytes) and the RTX original sequence number (2), rounded.
inline constexpr size_t kPacketHeadroom = 64;
// Room behind: tag 16 + MKI up to 128 (RFC 4568 section 6.1) + SRTCP index 4, rounded up.
inline constexpr size_t kPacketTailroom = 160;
// Longest datagram a slot takes. Ethernet's 1500 bytes and a little; longer ones are truncated by
// the socket, which says so, and dropped.
inline constexpr size_t kMaxDatagramSize = kPacketSlotSize - kPacketHeadroom - kPacketTailroom;

// Bytes from one slot to the next: an odd number of cache lines. With a power of two the headers of
// a batch would share two of the 64 sets of a first-level cache, which has room for 24 lines there,
// and every look at a header would go to the second level.
inline constexpr size_t kPacketSlotStride = kPacketSlotSize + 64;

class PacketArena;

// The right to use one packet slot until the loan is destroyed, which returns the slot. Move-only;
// a default-made or moved-from loan is empty. Not thread-safe: a loan stays on its arena's thread
// and must not outlive the arena.
class PacketLoan {
 public:
  PacketLoan() = default;
  PacketLoan(PacketLoan&& other) noexcept
      : arena_(std::exchange(other.arena_, nullptr)),
        slot_(other.slot_),
        offset_(other.offset_),
        size_(other.size_) {}
  PacketLoan& operator=(PacketLoan&& other) noexcept;
  PacketLoan(const PacketLoan&) = delete;
  PacketLoan& operator=(const PacketLoan&) = delete;
  ~PacketLoan() { Return(); }

  // False for a loan that holds no slot; all other members need a slot.
  explicit operator bool() const { return arena_ != nullptr; }

  // The packet's bytes. Valid until the loan ends; empty in a fresh loan.
  absl::Span<uint8_t> bytes() ABSL_ATTRIBUTE_LIFETIME_BOUND { return {slot_ + offset_, size_}; }
  absl::Span<const uint8_t> bytes() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return {slot_ + offset_, size_};
  }
  size_t size() const { return size_; }

  // Where to receive into: the bytes from the packet's start on, tailroom left out.
  absl::Span<uint8_t> ReceiveSpan() ABSL_ATTRIBUTE_LIFETIME_BOUND;

  // Bytes that may still be appended or prepended.
  size_t tailroom() const { return kPacketSlotSize - offset_ - size_; }
  size_t headroom() const { return offset_; }

  // Sets the packet's size. False and no change when it would leave the slot.
  [[nodiscard]] bool Resize(size_t size);
  // Moves the packet's start backwards by `count`. False and no change without the headroom.
  [[nodiscard]] bool Prepend(size_t count);
  // Drops bytes from the front. False and no change when there are fewer.
  [[nodiscard]] bool TrimFront(size_t count);

  // Ends the loan early; nothing on an empty loan. The slot's bytes are not wiped.
  void Return();

 private:
  friend class PacketArena;
  PacketLoan(PacketArena* arena, uint8_t* slot) : arena_(arena), slot_(slot) {}

  PacketArena* arena_ = nullptr;
  uint8_t* slot_ = nullptr;
  uint16_t offset_ = kPacketHeadroom;
  uint16_t size_ = 0;
};

// A fixed number of packet slots, allocated once. Exhaustion is an answer, not an allocation.
// One thread.
class PacketArena {
 public:
  // `slots` is at least 1. Allocates slots * kPacketSlotStride bytes, aligned to 64.
  explicit PacketArena(size_t slots);
  ~PacketArena();
  PacketArena(const PacketArena&) = delete;
  PacketArena& operator=(const PacketArena&) = delete;

  // An empty loan when no slot is free; `exhausted()` then counts one more.
  [[nodiscard]] PacketLoan Lend() {
    if (free_ == 0) {
      ++exhausted_;
      return PacketLoan();
    }
    uint8_t* slot = free_slots_[--free_];
    Unpoison(slot);
    return PacketLoan(this, slot);
  }
  // A new slot with the same bytes and offset. Empty when no slot is free.
  [[nodiscard]] PacketLoan LendCopy(const PacketLoan& packet);

  size_t capacity() const { return capacity_; }
  size_t free() const { return free_; }
  // How often Lend had nothing to lend.
  uint64_t exhausted() const { return exhausted_; }

 private:
  friend class PacketLoan;

  struct FreeBlock {
    void operator()(uint8_t* block) const;
  };

  void TakeBack(uint8_t* slot) {
    SLUICE_DCHECK(free_ < capacity_);
    Poison(slot);
    free_slots_[free_++] = slot;
  }

  // AddressSanitizer reports every touch of a slot that is not lent; nothing without it.
#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
  static void Poison(const uint8_t* slot);
  static void Unpoison(const uint8_t* slot);
#else
  static void Poison(const uint8_t*) {}
  static void Unpoison(const uint8_t*) {}
#endif

  const size_t capacity_;
  std::unique_ptr<uint8_t[], FreeBlock> block_;
  // A stack: what came back last goes out first, while the cache still has it. The first `free_`
  // are set. Beside the slots and not inside them, so that a stray write to a slot cannot break it.
  std::unique_ptr<uint8_t*[]> free_slots_;
  size_t free_;
  uint64_t exhausted_ = 0;
};

inline PacketLoan& PacketLoan::operator=(PacketLoan&& other) noexcept {
  if (this != &other) {
    Return();
    arena_ = std::exchange(other.arena_, nullptr);
    slot_ = other.slot_;
    offset_ = other.offset_;
    size_ = other.size_;
  }
  return *this;
}

inline void PacketLoan::Return() {
  if (arena_ != nullptr) {
    std::exchange(arena_, nullptr)->TakeBack(slot_);
  }
}

inline absl::Span<uint8_t> PacketLoan::ReceiveSpan() {
  constexpr size_t kEnd = kPacketSlotSize - kPacketTailroom;
  return {slot_ + offset_, offset_ < kEnd ? kEnd - offset_ : 0};
}

inline bool PacketLoan::Resize(size_t size) {
  if (size > kPacketSlotSize - offset_) {
    return false;
  }
  size_ = static_cast<uint16_t>(size);
  return true;
}

inline bool PacketLoan::Prepend(size_t count) {
  if (count > offset_) {
    return false;
  }
  offset_ = static_cast<uint16_t>(offset_ - count);
  size_ = static_cast<uint16_t>(size_ + count);
  return true;
}

inline bool PacketLoan::TrimFront(size_t count) {
  if (count > size_) {
    return false;
  }
  offset_ = static_cast<uint16_t>(offset_ + count);
  size_ = static_cast<uint16_t>(size_ - count);
  return true;
}

}  // namespace sluice

#endif  // SRTP_PACKET_ARENA_H_

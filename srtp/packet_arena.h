#ifndef SRTP_PACKET_ARENA_H_
#define SRTP_PACKET_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/attributes.h"
#include "absl/types/span.h"

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

class PacketArena;

// The right to use one packet slot until the loan is destroyed, which returns the slot. Move-only;
// a default-made or moved-from loan is empty. Not thread-safe: a loan stays on its arena's thread
// and must not outlive the arena.
class PacketLoan {
 public:
  PacketLoan() = default;
  PacketLoan(PacketLoan&& other) noexcept;
  PacketLoan& operator=(PacketLoan&& other) noexcept;
  PacketLoan(const PacketLoan&) = delete;
  PacketLoan& operator=(const PacketLoan&) = delete;
  ~PacketLoan();

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

  // Ends the loan early. The slot's bytes are not wiped.
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
  // `slots` is at least 1. Allocates slots * kPacketSlotSize bytes, aligned to 64.
  explicit PacketArena(size_t slots);
  ~PacketArena();
  PacketArena(const PacketArena&) = delete;
  PacketArena& operator=(const PacketArena&) = delete;

  // An empty loan when no slot is free; `exhausted()` then counts one more.
  [[nodiscard]] PacketLoan Lend();
  // A new slot with the same bytes and offset. Empty when no slot is free.
  [[nodiscard]] PacketLoan LendCopy(const PacketLoan& packet);

  size_t capacity() const;
  size_t free() const;
  // How often Lend had nothing to lend.
  uint64_t exhausted() const;

 private:
  friend class PacketLoan;
  void TakeBack(uint8_t* slot);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice

#endif  // SRTP_PACKET_ARENA_H_

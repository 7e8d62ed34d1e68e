#include "srtp/packet_arena.h"

#include <new>

#include "base/byte_order.h"

#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace sluice {
namespace {

// A cache line: no two slots share one, and wide loads of a packet's start are aligned.
constexpr size_t kCacheLine = 64;
constexpr std::align_val_t kSlotAlignment{kCacheLine};
static_assert(kPacketSlotStride / kCacheLine % 2 == 1);

}  // namespace

#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
// With what is between it and the next slot, which stays so while the slot is lent.
void PacketArena::Poison(const uint8_t* slot) {
  ASAN_POISON_MEMORY_REGION(slot, kPacketSlotStride);
}
void PacketArena::Unpoison(const uint8_t* slot) {
  ASAN_UNPOISON_MEMORY_REGION(slot, kPacketSlotSize);
}
#endif

void PacketArena::FreeBlock::operator()(uint8_t* block) const {
  ::operator delete[](block, kSlotAlignment);
}

PacketArena::PacketArena(size_t slots)
    : capacity_(slots),
      block_(static_cast<uint8_t*>(::operator new[](slots* kPacketSlotStride, kSlotAlignment))),
      free_slots_(std::make_unique<uint8_t*[]>(slots)),
      free_(slots) {
  SLUICE_CHECK(slots >= 1);
  // The first loan gets the first slot.
  for (size_t i = 0; i < slots; ++i) {
    uint8_t* slot = block_.get() + i * kPacketSlotStride;
    Poison(slot);
    free_slots_[slots - 1 - i] = slot;
  }
}

PacketArena::~PacketArena() {
  // A loan that is still out would return its slot to memory that is gone.
  SLUICE_CHECK(free_ == capacity_);
  for (size_t i = 0; i < capacity_; ++i) {
    Unpoison(block_.get() + i * kPacketSlotStride);
  }
}

PacketLoan PacketArena::LendCopy(const PacketLoan& packet) {
  SLUICE_DCHECK(packet);
  PacketLoan copy = Lend();
  if (copy) {
    copy.offset_ = packet.offset_;
    copy.size_ = packet.size_;
    CopyBytes(copy.bytes(), packet.bytes());
  }
  return copy;
}

}  // namespace sluice

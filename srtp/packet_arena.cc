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
// From one slot to the next: an odd number of cache lines. With a power of two the headers of a
// batch would share two of the 64 sets of a first-level cache, which has room for 24 lines there,
// and every look at a header would go to the second level.
constexpr size_t kSlotStride = kPacketSlotSize + kCacheLine;
static_assert(kSlotStride / kCacheLine % 2 == 1);

}  // namespace

#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
void PacketArena::Poison(const uint8_t* slot) { ASAN_POISON_MEMORY_REGION(slot, kPacketSlotSize); }
void PacketArena::Unpoison(const uint8_t* slot) {
  ASAN_UNPOISON_MEMORY_REGION(slot, kPacketSlotSize);
}
#endif

void PacketArena::FreeBlock::operator()(uint8_t* block) const {
  ::operator delete[](block, kSlotAlignment);
}

PacketArena::PacketArena(size_t slots)
    : capacity_(slots),
      block_(static_cast<uint8_t*>(::operator new[](slots* kSlotStride, kSlotAlignment))),
      free_slots_(std::make_unique<uint8_t*[]>(slots)),
      free_(slots) {
  SLUICE_CHECK(slots >= 1);
  // The first loan gets the first slot.
  for (size_t i = 0; i < slots; ++i) {
    uint8_t* slot = block_.get() + i * kSlotStride;
    Poison(slot);
    free_slots_[slots - 1 - i] = slot;
  }
}

PacketArena::~PacketArena() {
  // A loan that is still out would return its slot to memory that is gone.
  SLUICE_CHECK(free_ == capacity_);
  for (size_t i = 0; i < capacity_; ++i) {
    Unpoison(block_.get() + i * kSlotStride);
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

#include "interceptor/attributes_arena.h"

#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace sluice {

#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
void AttributesArena::Poison(const PacketAttributes* objects, size_t count) {
  ASAN_POISON_MEMORY_REGION(objects, count * sizeof(PacketAttributes));
}
void AttributesArena::Unpoison(const PacketAttributes* object) {
  ASAN_UNPOISON_MEMORY_REGION(object, sizeof(PacketAttributes));
}
#endif

AttributesArena::AttributesArena(size_t capacity)
    : capacity_(capacity), objects_(std::make_unique<PacketAttributes[]>(capacity)) {
  Poison(objects_.get(), capacity_);
}

AttributesArena::~AttributesArena() {
  for (size_t i = 0; i < capacity_; ++i) {
    Unpoison(&objects_[i]);
  }
}

}  // namespace sluice

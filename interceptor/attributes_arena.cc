#include "interceptor/attributes_arena.h"

namespace sluice {

AttributesArena::AttributesArena(size_t capacity)
    : capacity_(capacity), objects_(std::make_unique<PacketAttributes[]>(capacity)) {}

}  // namespace sluice

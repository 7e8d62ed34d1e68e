#include "quic/http3/http_state_memory.h"

#include <cstddef>
#include <cstdlib>

#include "base/check.h"

namespace sluice {

HttpStateMemory::HttpStateMemory(size_t limit)
    : limit_(limit), mem_{this, &Allocate, &Free, &AllocateZeros, &Reallocate} {}

HttpStateMemory::~HttpStateMemory() { SLUICE_CHECK(used_ == 0); }

void* HttpStateMemory::Allocate(size_t size, void* self) { return Reallocate(nullptr, size, self); }

void* HttpStateMemory::AllocateZeros(size_t count, size_t size, void* self) {
  auto& memory = *static_cast<HttpStateMemory*>(self);
  if (size != 0 && count > memory.limit_ / size) {
    ++memory.exhausted_;
    return nullptr;
  }
  const size_t bytes = count * size;
  if (bytes > memory.limit_ - memory.used_) {
    ++memory.exhausted_;
    return nullptr;
  }
  auto* const head = static_cast<Head*>(std::calloc(1, sizeof(Head) + bytes));
  if (head == nullptr) return nullptr;
  head->size = bytes;
  memory.used_ += bytes;
  return head + 1;
}

void* HttpStateMemory::Reallocate(void* bytes, size_t size, void* self) {
  auto& memory = *static_cast<HttpStateMemory*>(self);
  Head* const old = bytes == nullptr ? nullptr : static_cast<Head*>(bytes) - 1;
  const size_t before = old == nullptr ? 0 : old->size;
  if (size > memory.limit_ - (memory.used_ - before)) {
    ++memory.exhausted_;
    return nullptr;
  }
  auto* const head = static_cast<Head*>(std::realloc(old, sizeof(Head) + size));
  if (head == nullptr) return nullptr;
  head->size = size;
  memory.used_ += size - before;
  return head + 1;
}

void HttpStateMemory::Free(void* bytes, void* self) {
  if (bytes == nullptr) return;
  Head* const head = static_cast<Head*>(bytes) - 1;
  static_cast<HttpStateMemory*>(self)->used_ -= head->size;
  std::free(head);
}

}  // namespace sluice

#include "tests/alloc/counting_allocator.h"

#include <cerrno>
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SLUICE_ALLOCATOR_IS_THE_SANITIZERS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLUICE_ALLOCATOR_IS_THE_SANITIZERS 1
#endif

namespace {

// Without constructor, so that the first allocation of a thread can count itself.
thread_local uint64_t thread_allocations = 0;

}  // namespace

namespace sluice {

uint64_t ThreadAllocations() { return thread_allocations; }

}  // namespace sluice

#ifdef SLUICE_ALLOCATOR_IS_THE_SANITIZERS

// A sanitizer's malloc must stay the one that is called; it tells us when it is. Declared here
// because gcc does not install sanitizer/allocator_interface.h.
extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void* block, size_t size),
    void (*free_hook)(const volatile void* block));

namespace {

[[maybe_unused]] const int hooks_installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t) { ++thread_allocations; }, [](const volatile void*) {});

}  // namespace

#else

// The functions of an executable come before those of libc, also for calls from libraries. What
// they allocate is freed by libc's own free.
extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) noexcept {
  ++thread_allocations;
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) noexcept {
  ++thread_allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* block, size_t size) noexcept {
  ++thread_allocations;
  return __libc_realloc(block, size);
}

void* memalign(size_t alignment, size_t size) noexcept {
  ++thread_allocations;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  ++thread_allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) noexcept {
  ++thread_allocations;
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  void* allocated = __libc_memalign(alignment, size);
  if (allocated == nullptr) {
    return ENOMEM;
  }
  *block = allocated;
  return 0;
}

}  // extern "C"

#endif

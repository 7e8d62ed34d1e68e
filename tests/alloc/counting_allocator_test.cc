#include "tests/alloc/counting_allocator.h"

#include <openssl/mem.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace sluice {
namespace {

// Allocations that `f` makes. The compiler may remove an allocation whose block it can follow.
template <typename F>
uint64_t Count(F f) {
  const uint64_t before = ThreadAllocations();
  void* block = f();
  __asm__ __volatile__("" : "+r"(block) : : "memory");
  const uint64_t count = ThreadAllocations() - before;
  std::free(block);
  return count;
}

struct alignas(256) Overaligned {
  char bytes[256];
};

TEST(CountingAllocatorTest, CountsEveryWayToAllocate) {
  EXPECT_EQ(Count([] { return std::malloc(100); }), 1u);
  EXPECT_EQ(Count([] { return std::calloc(10, 10); }), 1u);
  EXPECT_EQ(Count([] { return std::aligned_alloc(64, 128); }), 1u);
  EXPECT_EQ(Count([] {
              void* block = nullptr;
              EXPECT_EQ(posix_memalign(&block, 4096, 10), 0);
              return block;
            }),
            1u);
  EXPECT_EQ(Count([] { return std::realloc(std::malloc(10), 100000); }), 2u);
  EXPECT_EQ(Count([] { return nullptr; }), 0u);
}

TEST(CountingAllocatorTest, CountsWhatCxxAllocates) {
  uint64_t before = ThreadAllocations();
  auto number = std::make_unique<int>(1);
  __asm__ __volatile__("" : : "r"(number.get()) : "memory");
  EXPECT_EQ(ThreadAllocations() - before, 1u);

  before = ThreadAllocations();
  auto aligned = std::make_unique<Overaligned>();
  __asm__ __volatile__("" : : "r"(aligned.get()) : "memory");
  EXPECT_EQ(ThreadAllocations() - before, 1u);

  before = ThreadAllocations();
  std::string text(1000, 'x');
  __asm__ __volatile__("" : : "r"(text.data()) : "memory");
  EXPECT_EQ(ThreadAllocations() - before, 1u);
}

// A C library that is linked in, and the one that matters most here.
TEST(CountingAllocatorTest, CountsWhatBoringsslAllocates) {
  const uint64_t before = ThreadAllocations();
  void* block = OPENSSL_malloc(100);
  EXPECT_EQ(ThreadAllocations() - before, 1u);
  OPENSSL_free(block);
  EXPECT_EQ(ThreadAllocations() - before, 1u);
}

TEST(CountingAllocatorTest, ThreadsDoNotCountForEachOther) {
  uint64_t of_other = 0;
  std::thread other([&of_other] {
    of_other = Count([] { return std::malloc(10); });
    for (int i = 0; i < 1000; ++i) {
      Count([] { return std::malloc(10); });
    }
  });
  const uint64_t before = ThreadAllocations();
  other.join();
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_EQ(of_other, 1u);
}

}  // namespace
}  // namespace sluice

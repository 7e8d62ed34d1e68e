#ifndef TESTS_ALLOC_COUNTING_ALLOCATOR_H_
#define TESTS_ALLOC_COUNTING_ALLOCATOR_H_

#include <cstdint>

namespace sluice {

// How often the calling thread has allocated from the heap since it began: malloc and its family,
// and so operator new and all libraries in the process, C ones included. A realloc counts also
// where it gives back the same block; freeing does not count. Linking this is enough to count.
//
//   const uint64_t before = ThreadAllocations();
//   Protect(jobs);
//   EXPECT_EQ(ThreadAllocations() - before, 0u);
uint64_t ThreadAllocations();

}  // namespace sluice

#endif  // TESTS_ALLOC_COUNTING_ALLOCATOR_H_

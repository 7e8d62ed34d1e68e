#ifndef QUIC_HTTP3_HTTP_STATE_MEMORY_H_
#define QUIC_HTTP3_HTTP_STATE_MEMORY_H_

#include <nghttp3/nghttp3.h>

#include <cstddef>
#include <cstdint>

namespace sluice {

// What nghttp3 allocates for one connection, up to a limit: it waits for fields of up to 64 KiB on
// each stream, with memory for all of one as soon as its length is known. One thread; outlives
// everything that is allocated from it.
class HttpStateMemory {
 public:
  explicit HttpStateMemory(size_t limit);
  // All of it was freed.
  ~HttpStateMemory();
  HttpStateMemory(const HttpStateMemory&) = delete;
  HttpStateMemory& operator=(const HttpStateMemory&) = delete;

  // For nghttp3_conn_server_new.
  const nghttp3_mem& mem() const { return mem_; }
  // Bytes that are allocated, without what the heap adds.
  size_t used() const { return used_; }
  // How often the limit was reached. nghttp3 then fails for good.
  uint64_t exhausted() const { return exhausted_; }

 private:
  // In front of what is given out: its size, and nothing less than the strictest alignment.
  struct alignas(std::max_align_t) Head {
    size_t size;
  };

  static void* Allocate(size_t size, void* self);
  static void* AllocateZeros(size_t count, size_t size, void* self);
  static void* Reallocate(void* bytes, size_t size, void* self);
  static void Free(void* bytes, void* self);

  const size_t limit_;
  size_t used_ = 0;
  uint64_t exhausted_ = 0;
  nghttp3_mem mem_;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_STATE_MEMORY_H_

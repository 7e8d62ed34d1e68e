#ifndef QUIC_HTTP3_HTTP_BUFFER_POOL_H_
#define QUIC_HTTP3_HTTP_BUFFER_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "quic/http3/http_limits.h"

namespace sluice {

class HttpBufferShare;

// Room for a whole request, lent. Empty, without room, when default-constructed or moved from; goes
// back to where it came from when it goes.
class HttpBuffer {
 public:
  HttpBuffer() = default;
  HttpBuffer(HttpBuffer&& other) noexcept { *this = std::move(other); }
  HttpBuffer& operator=(HttpBuffer&& other) noexcept;
  ~HttpBuffer() { GiveBack(); }

  bool empty() const { return share_ == nullptr; }
  // HttpBufferPool::kBufferSize bytes, or none. What is in them is left from before.
  absl::Span<uint8_t> bytes() const { return bytes_; }
  void GiveBack();

 private:
  friend class HttpBufferShare;

  HttpBuffer(HttpBufferShare& share, absl::Span<uint8_t> bytes) : share_(&share), bytes_(bytes) {}

  HttpBufferShare* share_ = nullptr;
  absl::Span<uint8_t> bytes_;
};

// Memory for requests of all connections of a thread, made at the beginning: for requests that are
// not complete, and for answers that a client does not read as fast as they are written. Most need
// it for a moment only. One thread; outlives its shares.
class HttpBufferPool {
 public:
  // Fields and body of a request. Also an answer's fields and the longest piece.
  static constexpr size_t kBufferSize = kMaxHttpFieldSection + kMaxHttpBody;

  explicit HttpBufferPool(size_t buffers);
  ~HttpBufferPool();
  HttpBufferPool(const HttpBufferPool&) = delete;
  HttpBufferPool& operator=(const HttpBufferPool&) = delete;

  size_t free() const { return free_.size(); }
  // How often there was none left.
  uint64_t exhausted() const { return exhausted_; }

 private:
  friend class HttpBuffer;
  friend class HttpBufferShare;

  const size_t buffers_;
  std::unique_ptr<uint8_t[]> memory_;
  // Reserved for all.
  std::vector<uint8_t*> free_;
  uint64_t exhausted_ = 0;
};

// What one connection may have of a pool, so that nobody can take it all. Outlives its buffers.
class HttpBufferShare {
 public:
  // At most `limit` buffers at a time.
  HttpBufferShare(HttpBufferPool& pool, size_t limit) : pool_(pool), limit_(limit) {}
  ~HttpBufferShare();
  HttpBufferShare(const HttpBufferShare&) = delete;
  HttpBufferShare& operator=(const HttpBufferShare&) = delete;

  // Empty when the limit is reached or the pool has none left; each is counted.
  HttpBuffer Take();

  size_t taken() const { return taken_; }
  // How often the limit was reached.
  uint64_t exhausted() const { return exhausted_; }

 private:
  friend class HttpBuffer;

  HttpBufferPool& pool_;
  const size_t limit_;
  size_t taken_ = 0;
  uint64_t exhausted_ = 0;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_BUFFER_POOL_H_

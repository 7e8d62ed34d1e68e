#ifndef BASE_BUFFER_POOL_H_
#define BASE_BUFFER_POOL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace sluice {

class BufferShare;

// Memory of a pool, lent. Empty, without any, when default-constructed or moved from; goes back to
// where it came from when it goes.
class LentBuffer {
 public:
  LentBuffer() = default;
  LentBuffer(LentBuffer&& other) noexcept { *this = std::move(other); }
  LentBuffer& operator=(LentBuffer&& other) noexcept;
  ~LentBuffer() { GiveBack(); }

  bool empty() const { return share_ == nullptr; }
  // BufferPool::buffer_size() bytes, or none. What is in them is left from before.
  absl::Span<uint8_t> bytes() const { return bytes_; }
  void GiveBack();

 private:
  friend class BufferShare;

  LentBuffer(BufferShare& share, absl::Span<uint8_t> bytes) : share_(&share), bytes_(bytes) {}

  BufferShare* share_ = nullptr;
  absl::Span<uint8_t> bytes_;
};

// For whom a share is. All shares of one source together have at most a part of the pool.
class BufferSource {
 public:
  // Nobody who could have many shares: only the pool is a bound.
  constexpr BufferSource() = default;
  // The same number for the same source; its low bits differ as those of a hash do. Sources that
  // have them in common have one part in common, no more.
  explicit constexpr BufferSource(uint64_t hash) : bounded_(true), hash_(hash) {}

 private:
  friend class BufferShare;

  bool bounded_ = false;
  uint64_t hash_ = 0;
};

// Buffers of one size, made at the beginning and lent. One thread; outlives its shares.
class BufferPool {
 public:
  // A source may have one buffer of so many: three that take all they can leave as much to others.
  static constexpr size_t kSourcePart = 4;
  // Counts of sources. Those who hold something are at most as many as buffers, a few hundred:
  // few of them meet in one. Takes 4 KiB.
  static constexpr size_t kSourceCounts = 1024;

  // Sizes in bytes.
  BufferPool(size_t buffers, size_t buffer_size);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  size_t free() const { return free_.size(); }
  size_t buffer_size() const { return buffer_size_; }
  // Buffers that a source may have; at least one.
  size_t source_limit() const { return source_limit_; }

  // How often there was none left.
  uint64_t exhausted() const { return exhausted_; }
  // How often a source had all that it may have, whatever was left.
  uint64_t source_exhausted() const { return source_exhausted_; }

 private:
  friend class LentBuffer;
  friend class BufferShare;

  const size_t buffers_;
  const size_t buffer_size_;
  const size_t source_limit_;
  std::unique_ptr<uint8_t[]> memory_;
  // Reserved for all.
  std::vector<uint8_t*> free_;
  // How many buffers the sources have.
  std::array<uint32_t, kSourceCounts> taken_by_source_{};
  uint64_t exhausted_ = 0;
  uint64_t source_exhausted_ = 0;
};

// What one taker may have of a pool, so that nobody can take it all. Outlives its buffers.
class BufferShare {
 public:
  // At most `limit` buffers at a time.
  BufferShare(BufferPool& pool, size_t limit, BufferSource source = BufferSource());
  ~BufferShare();
  BufferShare(const BufferShare&) = delete;
  BufferShare& operator=(const BufferShare&) = delete;

  // Empty when the limit is reached, or that of the source, or the pool has none left. The first
  // of these that is so is counted. O(1), without allocation.
  LentBuffer Take();

  size_t taken() const { return taken_; }
  // How often the limit was reached.
  uint64_t exhausted() const { return exhausted_; }

 private:
  friend class LentBuffer;

  void TakeBack(uint8_t* first);

  BufferPool& pool_;
  const size_t limit_;
  // Of the pool; null for nobody.
  uint32_t* const taken_by_source_;
  size_t taken_ = 0;
  uint64_t exhausted_ = 0;
};

}  // namespace sluice

#endif  // BASE_BUFFER_POOL_H_

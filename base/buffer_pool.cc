#include "base/buffer_pool.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {

LentBuffer& LentBuffer::operator=(LentBuffer&& other) noexcept {
  if (this != &other) {
    GiveBack();
    share_ = std::exchange(other.share_, nullptr);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

void LentBuffer::GiveBack() {
  if (share_ == nullptr) return;
  std::exchange(share_, nullptr)->TakeBack(std::exchange(bytes_, {}).data());
}

BufferPool::BufferPool(size_t buffers, size_t buffer_size)
    : buffers_(buffers),
      buffer_size_(buffer_size),
      source_limit_(std::max<size_t>(buffers / kSourcePart, 1)),
      memory_(std::make_unique<uint8_t[]>(buffers * buffer_size)) {
  free_.reserve(buffers);
  for (size_t i = buffers; i > 0; --i) free_.push_back(memory_.get() + (i - 1) * buffer_size);
}

BufferPool::~BufferPool() { SLUICE_CHECK(free_.size() == buffers_); }

BufferShare::BufferShare(BufferPool& pool, size_t limit, BufferSource source)
    : pool_(pool),
      limit_(limit),
      taken_by_source_(source.bounded_
                           ? &pool.taken_by_source_[source.hash_ % BufferPool::kSourceCounts]
                           : nullptr) {}

BufferShare::~BufferShare() { SLUICE_CHECK(taken_ == 0); }

LentBuffer BufferShare::Take() {
  if (taken_ == limit_) {
    ++exhausted_;
    return {};
  }
  if (taken_by_source_ != nullptr && *taken_by_source_ == pool_.source_limit_) {
    ++pool_.source_exhausted_;
    return {};
  }
  if (pool_.free_.empty()) {
    ++pool_.exhausted_;
    return {};
  }
  uint8_t* const first = pool_.free_.back();
  pool_.free_.pop_back();
  ++taken_;
  if (taken_by_source_ != nullptr) ++*taken_by_source_;
  return LentBuffer(*this, absl::MakeSpan(first, pool_.buffer_size_));
}

void BufferShare::TakeBack(uint8_t* first) {
  pool_.free_.push_back(first);
  --taken_;
  if (taken_by_source_ != nullptr) --*taken_by_source_;
}

}  // namespace sluice

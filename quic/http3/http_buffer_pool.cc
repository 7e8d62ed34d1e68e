#include "quic/http3/http_buffer_pool.h"

#include "base/check.h"

namespace sluice {

HttpBuffer& HttpBuffer::operator=(HttpBuffer&& other) noexcept {
  if (this != &other) {
    GiveBack();
    share_ = std::exchange(other.share_, nullptr);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

void HttpBuffer::GiveBack() {
  if (share_ == nullptr) return;
  share_->pool_.free_.push_back(bytes_.data());
  --share_->taken_;
  share_ = nullptr;
  bytes_ = {};
}

HttpBufferPool::HttpBufferPool(size_t buffers)
    : buffers_(buffers), memory_(std::make_unique<uint8_t[]>(buffers * kBufferSize)) {
  free_.reserve(buffers);
  for (size_t i = buffers; i > 0; --i) free_.push_back(memory_.get() + (i - 1) * kBufferSize);
}

HttpBufferPool::~HttpBufferPool() { SLUICE_CHECK(free_.size() == buffers_); }

HttpBufferShare::~HttpBufferShare() { SLUICE_CHECK(taken_ == 0); }

HttpBuffer HttpBufferShare::Take() {
  if (taken_ == limit_) {
    ++exhausted_;
    return {};
  }
  if (pool_.free_.empty()) {
    ++pool_.exhausted_;
    return {};
  }
  uint8_t* const first = pool_.free_.back();
  pool_.free_.pop_back();
  ++taken_;
  return HttpBuffer(*this, absl::MakeSpan(first, HttpBufferPool::kBufferSize));
}

}  // namespace sluice

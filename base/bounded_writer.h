#ifndef BASE_BOUNDED_WRITER_H_
#define BASE_BOUNDED_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"

namespace sluice {

// Appends numbers (big endian) and bytes to a buffer of the caller, who keeps it alive. Every write
// can fail for lack of room; a failed write leaves the buffer and the cursor as they were.
class ByteWriter {
 public:
  explicit ByteWriter(absl::Span<uint8_t> buffer) : buffer_(buffer) {}

  [[nodiscard]] bool WriteU8(uint8_t v) {
    if (remaining() < 1) return false;
    buffer_[size_] = v;
    size_ += 1;
    return true;
  }
  [[nodiscard]] bool WriteU16(uint16_t v) {
    if (remaining() < 2) return false;
    StoreBe16(buffer_.data() + size_, v);
    size_ += 2;
    return true;
  }
  // Fails also when `v` has more than 24 bits.
  [[nodiscard]] bool WriteU24(uint32_t v) {
    if (remaining() < 3 || v > 0xFFFFFF) return false;
    StoreBe24(buffer_.data() + size_, v);
    size_ += 3;
    return true;
  }
  [[nodiscard]] bool WriteU32(uint32_t v) {
    if (remaining() < 4) return false;
    StoreBe32(buffer_.data() + size_, v);
    size_ += 4;
    return true;
  }
  [[nodiscard]] bool WriteU64(uint64_t v) {
    if (remaining() < 8) return false;
    StoreBe64(buffer_.data() + size_, v);
    size_ += 8;
    return true;
  }
  // `bytes` may lie in the same buffer.
  [[nodiscard]] bool WriteBytes(absl::Span<const uint8_t> bytes) {
    if (remaining() < bytes.size()) return false;
    CopyBytes(buffer_.subspan(size_), bytes);
    size_ += bytes.size();
    return true;
  }

  // What was written so far, a view of the front of the buffer.
  absl::Span<uint8_t> written() const { return buffer_.first(size_); }
  size_t size() const { return size_; }
  size_t remaining() const { return buffer_.size() - size_; }

 private:
  absl::Span<uint8_t> buffer_;
  size_t size_ = 0;
};

}  // namespace sluice

#endif  // BASE_BOUNDED_WRITER_H_

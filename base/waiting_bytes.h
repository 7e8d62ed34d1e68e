#ifndef BASE_WAITING_BYTES_H_
#define BASE_WAITING_BYTES_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/buffer_pool.h"

namespace sluice {

// Bytes in their order that wait in a lent buffer for somebody to take them. Has a buffer from
// Begin to Clear; whoever has this gives it back when nothing waits any more.
class WaitingBytes {
 public:
  // Takes a buffer of `share`, which outlives it. False, and nothing happens, for lack of one.
  // Nothing waits.
  [[nodiscard]] bool Begin(BufferShare& share);
  // Behind what waits. The buffer has room for both together.
  void Append(absl::Span<const uint8_t> bytes);
  // The first `size` of bytes() were taken.
  void Consume(size_t size) { begin_ += size; }
  // Forgets what waits and gives the buffer back.
  void Clear();

  size_t size() const { return end_ - begin_; }
  // Good until the next Append or Clear.
  absl::Span<const uint8_t> bytes() const { return buffer_.bytes().subspan(begin_, size()); }

 private:
  LentBuffer buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace sluice

#endif  // BASE_WAITING_BYTES_H_

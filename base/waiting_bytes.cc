#include "base/waiting_bytes.h"

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {

bool WaitingBytes::Begin(BufferShare& share) {
  SLUICE_DCHECK(size() == 0);
  buffer_ = share.Take();
  begin_ = end_ = 0;
  return !buffer_.empty();
}

void WaitingBytes::Append(absl::Span<const uint8_t> bytes) {
  const absl::Span<uint8_t> room = buffer_.bytes();
  SLUICE_DCHECK(size() + bytes.size() <= room.size());
  if (bytes.size() > room.size() - end_) {
    CopyBytes(room, room.subspan(begin_, size()));
    end_ = size();
    begin_ = 0;
  }
  CopyBytes(room.subspan(end_), bytes);
  end_ += bytes.size();
}

void WaitingBytes::Clear() {
  buffer_.GiveBack();
  begin_ = end_ = 0;
}

}  // namespace sluice

#include "interceptor/rtcp/packet_writer.h"

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {

RtcpPacketWriter::RtcpPacketWriter(absl::Span<uint8_t> buffer, uint8_t count, uint8_t type)
    : buffer_(buffer), writer_(buffer) {
  SLUICE_DCHECK(count < 32);
  // V = 2.
  U8(static_cast<uint8_t>(0x80 | count));
  U8(type);
  U16(0);
}

void RtcpPacketWriter::Align() {
  while (ok_ && writer_.size() % 4 != 0) {
    U8(0);
  }
}

size_t RtcpPacketWriter::Finish() {
  Align();
  const size_t words = writer_.size() / 4;
  if (!ok_ || words - 1 > 0xFFFF) {
    return 0;
  }
  StoreBe16(buffer_.data() + 2, static_cast<uint16_t>(words - 1));
  return writer_.size();
}

}  // namespace sluice

#include "tests/peers/packet_ring.h"

#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {

PacketRing::PacketRing(size_t payload_size) {
  SLUICE_CHECK(payload_size >= 1 && payload_size <= kMaxPayloadSize);
  packets_.reserve(kSlots);
  for (size_t slot = 0; slot < kSlots; ++slot) {
    packets_.push_back(RtpPacketBuilder()
                           .WithSsrc(kSsrc)
                           .WithSequence(static_cast<uint16_t>(slot))
                           .WithPayloadSize(payload_size)
                           .BuildInto(arena_));
  }
  plain_size_ = packets_[0].size();
  SLUICE_CHECK(plain_size_ == kHeaderSize + payload_size);
}

void PacketRing::NextLap() {
  first_index_ += kSlots;
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const bool resized = packets_[slot].Resize(plain_size_);
    SLUICE_CHECK(resized);
    StoreBe16(packets_[slot].bytes().data() + 2, static_cast<uint16_t>(index(slot)));
  }
}

}  // namespace sluice

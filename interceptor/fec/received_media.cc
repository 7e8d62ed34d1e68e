#include "interceptor/fec/received_media.h"

#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/packet_arena.h"

namespace sluice {

ReceivedMedia::ReceivedMedia(size_t max_streams, size_t packets, size_t max_packet_size)
    : max_packet_size_(max_packet_size),
      entries_(packets),
      bytes_(packets * max_packet_size),
      index_(max_streams * kWindow, 0) {
  SLUICE_CHECK(packets >= kMinPackets && packets <= kMaxPackets);
  SLUICE_CHECK(max_packet_size <= kPacketSlotSize);
}

bool ReceivedMedia::Store(StreamSlot slot, int64_t sequence, absl::Span<const uint8_t> bytes,
                          bool recovered) {
  if (bytes.size() > max_packet_size_) {
    return false;
  }
  entries_[next_] = {.slot = slot,
                     .size = static_cast<uint16_t>(bytes.size()),
                     .recovered = recovered,
                     .sequence = sequence};
  CopyBytes(absl::MakeSpan(bytes_).subspan(next_ * max_packet_size_, bytes.size()), bytes);
  IndexOf(slot, sequence) = static_cast<uint16_t>(next_);
  next_ = next_ + 1 == entries_.size() ? 0 : next_ + 1;
  return true;
}

std::optional<ReceivedMedia::Packet> ReceivedMedia::Find(StreamSlot slot, int64_t sequence) const {
  const size_t cell = slot.value() * kWindow + static_cast<uint64_t>(sequence) % kWindow;
  const size_t i = index_[cell];
  const Entry& entry = entries_[i];
  if (entry.slot != slot || entry.sequence != sequence) {
    return std::nullopt;
  }
  return Packet{absl::MakeConstSpan(bytes_).subspan(i * max_packet_size_, entry.size),
                entry.recovered};
}

void ReceivedMedia::Forget(StreamSlot slot) {
  for (Entry& entry : entries_) {
    if (entry.slot == slot) {
      entry.slot = kNoStream;
    }
  }
}

}  // namespace sluice

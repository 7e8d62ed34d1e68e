#ifndef INTERCEPTOR_FEC_RECEIVED_MEDIA_H_
#define INTERCEPTOR_FEC_RECEIVED_MEDIA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "interceptor/stream_info.h"

namespace sluice {

// Copies of the media packets that came last, of all streams together, so that parity that comes
// afterwards finds them. A new one takes the place of the oldest. Memory is taken at construction.
// One thread.
class ReceivedMedia {
 public:
  static constexpr size_t kMinPackets = 16;
  static constexpr size_t kMaxPackets = 8192;

  struct Packet {
    // Good until the next Store.
    absl::Span<const uint8_t> bytes;
    // Computed, not received.
    bool recovered;
  };

  // `packets` is in kMinPackets..kMaxPackets; takes packets * max_packet_size bytes.
  ReceivedMedia(size_t max_streams, size_t packets, size_t max_packet_size);

  // `sequence` is unwrapped, `slot` below max_streams. False, and no change, when the packet is too
  // long.
  bool Store(StreamSlot slot, int64_t sequence, absl::Span<const uint8_t> bytes, bool recovered);
  // Nothing when it never came or was forgotten.
  std::optional<Packet> Find(StreamSlot slot, int64_t sequence) const;
  // Forgets all packets of a stream.
  void Forget(StreamSlot slot);

 private:
  // Numbers that one stream may be asked for: those of a mask, and as many again.
  static constexpr size_t kWindow = 256;

  struct Entry {
    StreamSlot slot = kNoStream;
    uint16_t size = 0;
    bool recovered = false;
    int64_t sequence = 0;
  };

  // Where the entry of a number is, if it still is of that number.
  uint16_t& IndexOf(StreamSlot slot, int64_t sequence) {
    return index_[slot.value() * kWindow + static_cast<uint64_t>(sequence) % kWindow];
  }

  const size_t max_packet_size_;
  std::vector<Entry> entries_;
  std::vector<uint8_t> bytes_;
  std::vector<uint16_t> index_;
  size_t next_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_RECEIVED_MEDIA_H_

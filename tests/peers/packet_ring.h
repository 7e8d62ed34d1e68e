#ifndef TESTS_PEERS_PACKET_RING_H_
#define TESTS_PEERS_PACKET_RING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "srtp/packet_arena.h"

namespace sluice {

// RTP packets of one stream in slots that are used lap after lap, while their sequence numbers go
// on: a source that never ends, out of the cache. What is done with them is up to others.
class PacketRing {
 public:
  // As many as stay in a second level cache, as a busy worker's packets do: 256 KiB. Enough that
  // stopping a benchmark's clock once per lap costs about a nanosecond per packet.
  static constexpr size_t kSlots = 128;
  // Without CSRCs and extension.
  static constexpr size_t kHeaderSize = 12;
  // The longest of the rows. Anything up to kMaxDatagramSize would do.
  static constexpr size_t kMaxPayloadSize = 1400;
  static constexpr uint32_t kSsrc = 0x5eedca11;

  // `payload_size` is 1..kMaxPayloadSize. Allocates.
  explicit PacketRing(size_t payload_size);
  PacketRing(const PacketRing&) = delete;
  PacketRing& operator=(const PacketRing&) = delete;

  // Makes all packets plain again, of the size that they had, and gives them the next kSlots
  // indices. Their payload is whatever became of it. Does not allocate.
  void NextLap();

  PacketLoan& packet(size_t slot) { return packets_[slot]; }
  // Of header and payload.
  size_t plain_size() const { return plain_size_; }
  // SRTP's index of the packet in that slot, in this lap (RFC 3711 section 3.3.1): the sequence
  // number and the rollovers before it.
  uint64_t index(size_t slot) const { return first_index_ + slot; }

 private:
  PacketArena arena_{kSlots};
  std::vector<PacketLoan> packets_;
  size_t plain_size_ = 0;
  uint64_t first_index_ = 0;
};

}  // namespace sluice

#endif  // TESTS_PEERS_PACKET_RING_H_

#ifndef INTERCEPTOR_CCFB_SENT_INDEX_H_
#define INTERCEPTOR_CCFB_SENT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "srtp/rtp_types.h"

namespace sluice {

// Finds the packets of a SendLog by what RFC 8888 calls them: SSRC and sequence number. Has as many
// places as the log, so that it forgets a packet when the log does. All memory is taken in the
// constructor. One thread.
class SentIndex {
 public:
  // Places with one hash that are looked at. Sequence numbers that follow each other have different
  // hashes; a source that numbers its packets so that they collide is not found.
  static constexpr int kMaxSteps = 64;

  // `capacity` is the log's: a power of two.
  explicit SentIndex(size_t capacity);

  // Packet `number` of the log was sent; each number once, in order.
  void Add(Ssrc ssrc, SequenceNumber sequence, int64_t number);
  // The number of the packet that was sent last with that name and is not older than `oldest`, the
  // log's oldest.
  std::optional<int64_t> Find(Ssrc ssrc, SequenceNumber sequence, int64_t oldest) const;

 private:
  static constexpr int64_t kNone = -1;

  struct Place {
    // The next older packet with the same hash.
    int64_t older;
    uint32_t ssrc;
    uint16_t sequence;
  };

  size_t HashOf(Ssrc ssrc, SequenceNumber sequence) const {
    // SSRCs are random; Knuth's multiplier spreads those that are not.
    return (size_t{ssrc.value() * 2654435769u >> 8} + sequence.value()) & mask_;
  }

  const size_t mask_;
  // By the number's low bits.
  std::unique_ptr<Place[]> places_;
  // By hash: the newest packet, or kNone.
  std::unique_ptr<int64_t[]> newest_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_CCFB_SENT_INDEX_H_

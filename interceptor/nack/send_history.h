#ifndef INTERCEPTOR_NACK_SEND_HISTORY_H_
#define INTERCEPTOR_NACK_SEND_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What became of a packet that was to be remembered.
enum class StoreVerdict : uint8_t {
  kStored,
  // It is there already; the first one stands.
  kDuplicate,
  // Longer than kMaxHistoryPacketSize.
  kTooLong,
};

// Longest packet that is remembered: any that a socket takes in.
inline constexpr size_t kMaxHistoryPacketSize = 1824;

// Copies of the packets that streams of one leg sent, one behind the other in a ring of bytes, so
// that a packet costs its length and not a slot. A new packet pushes out the oldest, whichever its
// stream: what stays depends on age alone. All memory is taken in the constructor. One thread.
class SendHistory {
 public:
  // At least one packet fits in any case.
  static constexpr size_t kMinBytes = 4096;
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  static constexpr size_t kMinPackets = 16;
  static constexpr size_t kMaxPackets = 65536;

  struct Packet {
    // The whole RTP packet.
    absl::Span<const uint8_t> bytes;
    Timestamp stored;
    // When it last left, for those who care; as given to Store until they write to it.
    Timestamp* last_sent;
  };

  static constexpr bool IsPowerOfTwo(size_t n) { return n != 0 && (n & (n - 1)) == 0; }
  static constexpr bool AreValidLimits(size_t packets, size_t bytes) {
    return IsPowerOfTwo(packets) && packets >= kMinPackets && packets <= kMaxPackets &&
           IsPowerOfTwo(bytes) && bytes >= kMinBytes && bytes <= kMaxBytes;
  }

  // Both limits are powers of two in their ranges.
  SendHistory(size_t max_packets, size_t max_bytes);

  // Copies `bytes`, a packet of `stream` with number `sequence`.
  StoreVerdict Store(Timestamp now, StreamSlot stream, SequenceNumber sequence,
                     absl::Span<const uint8_t> bytes, Timestamp last_sent);
  // Nothing when it is not, or no longer, there. Good until the next Store or Forget.
  std::optional<Packet> Find(StreamSlot stream, SequenceNumber sequence);
  // The stream is over: nothing of it is found any more.
  void Forget(StreamSlot stream);

  // Packets that are there, those of streams that are over included.
  size_t size() const { return static_cast<size_t>(next_ - oldest_); }

 private:
  // Packets count from 1, so that 0 is none.
  using Number = uint64_t;

  struct Record {
    // Where the packet begins, if the ring did not wrap. Never across its end.
    uint64_t begin = 0;
    uint32_t size = 0;
    SequenceNumber sequence = SequenceNumber(0);
    StreamSlot stream = kNoStream;
    // The packet before it with the same hash.
    Number same_hash = 0;
    Timestamp stored = Timestamp::MinusInfinity();
    Timestamp last_sent = Timestamp::MinusInfinity();
  };

  Record& record(Number number) { return records_[number & mask_]; }
  size_t HashOf(StreamSlot stream, SequenceNumber sequence) const {
    // Neighbours have neighbouring places; streams are apart.
    return (sequence.value() + size_t{stream.value()} * 40503u) & (2 * mask_ + 1);
  }
  // Among those of one hash, of which `newest` is the newest.
  Record* FindRecord(Number newest, StreamSlot stream, SequenceNumber sequence) {
    for (Number number = newest; number >= oldest_; number = record(number).same_hash) {
      if (record(number).sequence == sequence && record(number).stream == stream) {
        return &record(number);
      }
    }
    return nullptr;
  }

  // Of records_; their number is not to be computed anew per packet.
  const size_t mask_;
  std::vector<Record> records_;
  // Packets with the same hash are a list, newest first, that ends where a number is older than the
  // oldest: nothing needs to be taken out of it. Twice as many as packets: the last packet at a
  // new one's place is then gone, in a single stream, and no record has to be looked at.
  std::vector<Number> newest_of_hash_;
  const size_t max_bytes_;
  std::unique_ptr<uint8_t[]> bytes_;
  // The packets that are there, and where the next one begins, if the ring did not wrap.
  Number oldest_ = 1;
  Number next_ = 1;
  uint64_t end_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_NACK_SEND_HISTORY_H_

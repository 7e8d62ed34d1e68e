#ifndef INTERCEPTOR_RTCP_TRANSPORT_FEEDBACK_H_
#define INTERCEPTOR_RTCP_TRANSPORT_FEEDBACK_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Units of draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1.
inline constexpr TimeDelta kTransportDeltaUnit = TimeDelta::Micros(250);
inline constexpr TimeDelta kTransportReferenceUnit = TimeDelta::Millis(64);
// Most packets that one feedback of ours is about: half of the sequence numbers less one, so that
// the receiver of the feedback has no doubt which packets are meant.
inline constexpr int64_t kMaxTransportStatuses = 0x7FFF;
// Most arrivals in one feedback of ours: about what a datagram has room for.
inline constexpr size_t kMaxTransportArrivals = 1024;

// Which packets of a transport arrived, and when
// (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1). Points into the bytes it was
// parsed from.
class TransportFeedbackView {
 public:
  // nullopt unless `packet` is transport-wide feedback about at least one packet whose chunks have
  // a status for each of them, none of them the reserved one, and whose deltas are all there.
  // Chunks and deltas behind those are not looked at.
  static std::optional<TransportFeedbackView> Parse(absl::Span<const uint8_t> packet);

  Ssrc sender() const { return sender_; }
  // One of the streams; the feedback is about all.
  Ssrc media() const { return media_; }
  // Of the first packet.
  uint16_t base_sequence() const { return base_sequence_; }
  // 1..65535.
  size_t status_count() const { return status_count_; }
  // 24 bits in units of kTransportReferenceUnit by the receiver's clock; wraps, whether one takes
  // it as signed or not.
  uint32_t reference_time() const { return reference_time_; }
  // Counts the feedback packets themselves; wraps.
  uint8_t feedback_count() const { return feedback_count_; }

  // Calls, in order of sequence numbers (which wrap), `received(uint16_t sequence,
  // TimeDelta delta)` for each packet that arrived, `delta` after the one before it, or for the
  // first one after the reference time; it may be negative. Calls `missing(uint16_t first, uint16_t
  // count)` for packets that did not. Takes time in proportion to the packet's bytes, not to what
  // it counts.
  template <typename Received, typename Missing>
  void ForEach(Received&& received, Missing&& missing) const;

 private:
  TransportFeedbackView() = default;

  // Symbols of a chunk (section 3.1.1).
  static constexpr unsigned kMissing = 0;
  static constexpr unsigned kSmallDelta = 1;
  static constexpr unsigned kReserved = 3;

  // One chunk, its symbols made alike.
  struct Chunk {
    bool run;
    // Of a run: the symbol. Of a vector: two bits for each, the first lowest.
    uint32_t symbols;
    // At most 8191.
    uint32_t count;
  };
  static Chunk ReadChunk(const uint8_t* bytes);

  Ssrc sender_ = Ssrc(0);
  Ssrc media_ = Ssrc(0);
  uint16_t base_sequence_ = 0;
  uint16_t status_count_ = 0;
  uint32_t reference_time_ = 0;
  uint8_t feedback_count_ = 0;
  // As many as there are statuses for.
  absl::Span<const uint8_t> chunks_;
  // As many as there are packets received.
  absl::Span<const uint8_t> deltas_;
};

struct TransportFeedbackHeader {
  Ssrc sender = Ssrc(0);
  Ssrc media = Ssrc(0);
  uint8_t feedback_count = 0;
};

// One packet received.
struct TransportArrival {
  // Unwrapped.
  int64_t sequence;
  // Finite.
  Timestamp arrived;
};

// Writes feedback about the packets from `begin` on, of which `arrivals` were received: in the
// order of their sequence numbers, each number once, the first not below `begin`. Takes as many of
// them as the buffer has room for, a delta may say and the two bounds above allow: `written`
// becomes how many, and the rest is for another feedback, which begins behind the last one taken.
// Its size, or 0 when no arrival can be taken.
size_t WriteTransportFeedback(const TransportFeedbackHeader& header, int64_t begin,
                              absl::Span<const TransportArrival> arrivals,
                              absl::Span<uint8_t> buffer, size_t& written);

inline TransportFeedbackView::Chunk TransportFeedbackView::ReadChunk(const uint8_t* bytes) {
  const unsigned chunk = LoadBe16(bytes);
  if ((chunk & 0x8000) == 0) {
    return {true, chunk >> 13, chunk & 0x1FFF};
  }
  Chunk vector = {false, 0, 0};
  if ((chunk & 0x4000) == 0) {
    // 14 symbols of one bit.
    vector.count = 14;
    for (unsigned i = 0; i < 14; ++i) {
      vector.symbols |= (chunk >> (13 - i) & 1) << (2 * i);
    }
  } else {
    vector.count = 7;
    for (unsigned i = 0; i < 7; ++i) {
      vector.symbols |= (chunk >> (12 - 2 * i) & 3) << (2 * i);
    }
  }
  return vector;
}

template <typename Received, typename Missing>
void TransportFeedbackView::ForEach(Received&& received, Missing&& missing) const {
  uint32_t left = status_count_;
  uint16_t sequence = base_sequence_;
  const uint8_t* delta = deltas_.data();
  uint16_t missing_count = 0;
  const auto end_gap = [&] {
    if (missing_count > 0) {
      missing(static_cast<uint16_t>(sequence - missing_count), missing_count);
      missing_count = 0;
    }
  };
  for (size_t at = 0; at < chunks_.size(); at += 2) {
    const Chunk chunk = ReadChunk(chunks_.data() + at);
    const uint32_t count = chunk.count < left ? chunk.count : left;
    left -= count;
    if (chunk.run && chunk.symbols == kMissing) {
      missing_count = static_cast<uint16_t>(missing_count + count);
      sequence = static_cast<uint16_t>(sequence + count);
      continue;
    }
    for (uint32_t i = 0; i < count; ++i) {
      const unsigned symbol = chunk.run ? chunk.symbols : chunk.symbols >> (2 * i) & 3;
      if (symbol == kMissing) {
        ++missing_count;
        ++sequence;
        continue;
      }
      end_gap();
      int64_t units;
      if (symbol == kSmallDelta) {
        units = *delta++;
      } else {
        units = static_cast<int16_t>(LoadBe16(delta));
        delta += 2;
      }
      received(sequence++, kTransportDeltaUnit * units);
    }
  }
  end_gap();
}

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_TRANSPORT_FEEDBACK_H_

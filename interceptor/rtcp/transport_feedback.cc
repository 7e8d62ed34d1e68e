#include "interceptor/rtcp/transport_feedback.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/bounded_reader.h"
#include "base/check.h"
#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {
namespace {

// Base sequence number, status count, reference time, feedback count.
constexpr size_t kFixedSize = 8;
// The same with RTCP header and both SSRCs in front.
constexpr size_t kHeaderSize = 20;
// Thirteen bits count a run (section 3.1.3).
constexpr uint32_t kMaxRun = 0x1FFF;
constexpr int64_t kDeltasPerReference = kTransportReferenceUnit / kTransportDeltaUnit;

constexpr unsigned kMissing = 0;
constexpr unsigned kSmall = 1;
constexpr unsigned kLarge = 2;

// Symbols become chunks: runs where all are the same, else vectors of fourteen one-bit or seven
// two-bit symbols (sections 3.1.3 and 3.1.4).
class ChunkWriter {
 public:
  // At most this many chunks are written for `count` equal symbols and the pending ones.
  static constexpr size_t MaxChunks(int64_t count) {
    // Two for what is pending, one for a run that begins.
    return static_cast<size_t>(count) / kMaxRun + 3;
  }

  // The caller vouches for the room.
  explicit ChunkWriter(uint8_t* to) : begin_(to), to_(to) {}

  void Add(unsigned symbol) {
    // Fewer always fit, whatever they are.
    if (size_ >= kLargeVector) {
      while (!CanTake(symbol)) {
        WriteOne(size_ == kVector);
      }
    }
    if (size_ == 0) {
      first_ = symbol;
      same_ = true;
      large_ = false;
    }
    same_ &= symbol == first_;
    large_ |= symbol == kLarge;
    if (size_ < kVector) {
      symbols_ |= symbol << (2 * size_);
    }
    ++size_;
  }

  void AddMissing(int64_t count) {
    while (count > 0) {
      Add(kMissing);
      --count;
      if (same_ && first_ == kMissing) {
        // The symbol is 0: only the length of the run changes.
        const auto more = static_cast<uint32_t>(std::min<int64_t>(count, kMaxRun - size_));
        size_ += more;
        count -= more;
      }
    }
  }

  // What is pending at the end.
  void Flush() {
    while (size_ > 0) {
      WriteOne(size_ > kLargeVector);
    }
  }

  size_t written() const { return static_cast<size_t>(to_ - begin_); }

 private:
  static constexpr uint32_t kVector = 14;
  static constexpr uint32_t kLargeVector = 7;

  bool CanTake(unsigned symbol) const {
    return size_ < kLargeVector || (size_ < kVector && !large_ && symbol != kLarge) ||
           (same_ && symbol == first_ && size_ < kMaxRun);
  }

  // `long_vector`: fourteen symbols are better than seven, where one bit is enough for each.
  void WriteOne(bool long_vector) {
    if (same_) {
      Write(first_ << 13 | size_);
      size_ = 0;
      symbols_ = 0;
    } else if (large_ || !long_vector) {
      WriteLargeVector();
    } else {
      unsigned chunk = 0x8000;
      for (uint32_t i = 0; i < kVector; ++i) {
        chunk |= (symbols_ >> (2 * i) & 1) << (13 - i);
      }
      Write(chunk);
      size_ = 0;
      symbols_ = 0;
    }
  }

  // Seven symbols, or fewer with zeros behind them.
  void WriteLargeVector() {
    unsigned chunk = 0xC000;
    for (uint32_t i = 0; i < kLargeVector; ++i) {
      chunk |= (symbols_ >> (2 * i) & 3) << (12 - 2 * i);
    }
    Write(chunk);
    symbols_ >>= 2 * kLargeVector;
    size_ -= std::min(size_, kLargeVector);
    first_ = symbols_ & 3;
    same_ = true;
    large_ = false;
    for (uint32_t i = 0; i < size_; ++i) {
      const unsigned symbol = symbols_ >> (2 * i) & 3;
      same_ = same_ && symbol == first_;
      large_ = large_ || symbol == kLarge;
    }
  }

  void Write(unsigned chunk) {
    StoreBe16(to_, static_cast<uint16_t>(chunk));
    to_ += 2;
  }

  uint8_t* const begin_;
  uint8_t* to_;
  // The first fourteen pending, two bits each, the first lowest.
  uint32_t symbols_ = 0;
  uint32_t size_ = 0;
  unsigned first_ = 0;
  bool same_ = true;
  bool large_ = false;
};

// Rounded down, also before the clock's origin.
int64_t UnitsOf(Timestamp time) {
  const int64_t us = time.us();
  const int64_t unit = kTransportDeltaUnit.us();
  return us >= 0 ? us / unit : -((-us + unit - 1) / unit);
}

bool FitsDelta(int64_t units) {
  return units >= std::numeric_limits<int16_t>::min() &&
         units <= std::numeric_limits<int16_t>::max();
}

bool IsSmall(int64_t units) { return static_cast<uint64_t>(units) <= 0xFF; }

uint8_t* WriteDeltas(absl::Span<const int16_t> deltas, uint8_t* to) {
  for (const int16_t delta : deltas) {
    if (IsSmall(delta)) {
      *to++ = static_cast<uint8_t>(delta);
    } else {
      StoreBe16(to, static_cast<uint16_t>(delta));
      to += 2;
    }
  }
  return to;
}

}  // namespace

std::optional<TransportFeedbackView> TransportFeedbackView::Parse(
    absl::Span<const uint8_t> packet) {
  const std::optional<RtcpFeedbackBody> body =
      RtcpFeedbackBody::Parse(packet, kRtcpTransportFeedback, kTransportFeedbackFormat);
  if (!body.has_value()) {
    return std::nullopt;
  }
  const auto fixed = FixedReader<kFixedSize>::From(body->fci);
  if (!fixed.has_value() || fixed->Load16<2>() == 0) {
    return std::nullopt;
  }
  TransportFeedbackView view;
  view.sender_ = body->sender;
  view.media_ = body->media;
  view.base_sequence_ = fixed->Load16<0>();
  view.status_count_ = fixed->Load16<2>();
  view.reference_time_ = fixed->Load24<4>();
  view.feedback_count_ = fixed->Load8<7>();

  const absl::Span<const uint8_t> rest = body->fci.subspan(kFixedSize);
  uint32_t left = view.status_count_;
  size_t chunks_size = 0;
  size_t deltas_size = 0;
  while (left > 0) {
    if (rest.size() - chunks_size < 2) {
      return std::nullopt;
    }
    const Chunk chunk = ReadChunk(rest.data() + chunks_size);
    chunks_size += 2;
    const uint32_t count = std::min(chunk.count, left);
    left -= count;
    if (chunk.run) {
      if (chunk.symbols == kReserved) {
        return std::nullopt;
      }
      // A symbol is the size of its delta.
      deltas_size += size_t{chunk.symbols} * count;
      continue;
    }
    const uint32_t symbols = chunk.symbols & ((1u << (2 * count)) - 1);
    const uint32_t low = symbols & 0x05555555;
    const uint32_t high = symbols >> 1 & 0x05555555;
    if ((low & high) != 0) {
      return std::nullopt;
    }
    deltas_size += static_cast<size_t>(std::popcount(low) + 2 * std::popcount(high));
  }
  if (rest.size() - chunks_size < deltas_size) {
    return std::nullopt;
  }
  view.chunks_ = rest.first(chunks_size);
  view.deltas_ = rest.subspan(chunks_size, deltas_size);
  return view;
}

size_t WriteTransportFeedback(const TransportFeedbackHeader& header, int64_t begin,
                              absl::Span<const TransportArrival> arrivals,
                              absl::Span<uint8_t> buffer, size_t& written) {
  written = 0;
  if (arrivals.empty() || buffer.size() < kHeaderSize) {
    return 0;
  }
  const int64_t first_units = UnitsOf(arrivals[0].arrived);
  // In whole reference units, so that the first delta is small.
  const int64_t reference = (first_units - (first_units & (kDeltasPerReference - 1)));
  // Bytes for chunks and deltas; the end is padded to a word.
  const size_t room = buffer.size() / 4 * 4 - kHeaderSize;

  ChunkWriter chunks(buffer.data() + kHeaderSize);
  // They follow the chunks, whose number is known at the end only.
  int16_t deltas[kMaxTransportArrivals];
  size_t deltas_size = 0;
  int64_t next = begin;
  int64_t last_units = reference;
  for (const TransportArrival& arrival :
       arrivals.first(std::min(arrivals.size(), kMaxTransportArrivals))) {
    const int64_t gap = arrival.sequence - next;
    const int64_t units = UnitsOf(arrival.arrived);
    const int64_t delta = units - last_units;
    SLUICE_DCHECK(gap >= 0);
    // Also the size of the delta.
    const unsigned symbol = IsSmall(delta) ? kSmall : kLarge;
    if (gap < 0 || arrival.sequence - begin >= kMaxTransportStatuses || !FitsDelta(delta) ||
        chunks.written() + 2 * ChunkWriter::MaxChunks(gap) + deltas_size + symbol > room) {
      break;
    }
    chunks.AddMissing(gap);
    chunks.Add(symbol);
    deltas_size += symbol;
    deltas[written++] = static_cast<int16_t>(delta);
    last_units = units;
    next = arrival.sequence + 1;
  }
  if (written == 0) {
    return 0;
  }
  chunks.Flush();

  uint8_t* end = WriteDeltas(absl::MakeConstSpan(deltas, written),
                             buffer.data() + kHeaderSize + chunks.written());
  while ((end - buffer.data()) % 4 != 0) {
    *end++ = 0;
  }
  const auto size = static_cast<size_t>(end - buffer.data());
  buffer[0] = 0x80 | kTransportFeedbackFormat;
  buffer[1] = kRtcpTransportFeedback;
  StoreBe16(buffer.data() + 2, static_cast<uint16_t>(size / 4 - 1));
  StoreBe32(buffer.data() + 4, header.sender.value());
  StoreBe32(buffer.data() + 8, header.media.value());
  StoreBe16(buffer.data() + 12, static_cast<uint16_t>(begin));
  StoreBe16(buffer.data() + 14, static_cast<uint16_t>(next - begin));
  // Modulo 2^24.
  StoreBe24(buffer.data() + 16, static_cast<uint32_t>(reference / kDeltasPerReference));
  buffer[19] = header.feedback_count;
  return size;
}

}  // namespace sluice

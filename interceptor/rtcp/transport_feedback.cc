#include "interceptor/rtcp/transport_feedback.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

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

  void Add(unsigned symbol, int64_t count) {
    while (count > 0) {
      // Seven fit whatever they are, fourteen where one bit is enough.
      const int64_t fit = (HasLarge(symbols_ | symbol) ? kLargeVector : kVector) - int64_t{size_};
      if (count <= fit) {
        Append(symbol, static_cast<uint32_t>(count));
        return;
      }
      if (IsRunOf(symbol)) {
        const auto more = static_cast<uint32_t>(std::min<int64_t>(count, kMaxRun - size_));
        size_ += more;
        symbols_ = symbol * kAllSmall & Low(2 * known());
        count -= more;
      } else if (fit > 0) {
        Append(symbol, static_cast<uint32_t>(fit));
        count -= fit;
      }
      if (count > 0) {
        WriteOne(size_ == kVector);
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
  // Fourteen times kSmall.
  static constexpr uint32_t kAllSmall = 0x05555555;

  // Symbols that `symbols_` has.
  uint32_t known() const { return std::min(size_, kVector); }
  static uint32_t Low(uint32_t bits) { return (1u << bits) - 1; }
  static bool HasLarge(uint32_t symbols) { return (symbols & (kLarge * kAllSmall)) != 0; }
  // True also where nothing is pending.
  bool IsRunOf(unsigned symbol) const {
    return symbols_ == (symbol * kAllSmall & Low(2 * known()));
  }
  // `count` and those pending are fourteen at most.
  void Append(unsigned symbol, uint32_t count) {
    symbols_ = symbols_ << (2 * count) | (symbol * kAllSmall & Low(2 * count));
    size_ += count;
  }
  // The lower bits of fourteen symbols, next to each other.
  static unsigned LowerBits(uint32_t symbols) {
    uint32_t bits = symbols & 0x55555555;
    bits = (bits | bits >> 1) & 0x33333333;
    bits = (bits | bits >> 2) & 0x0F0F0F0F;
    bits = (bits | bits >> 4) & 0x00FF00FF;
    return (bits | bits >> 8) & 0xFFFF;
  }

  // `long_vector`: fourteen symbols are better than seven, where one bit is enough for each. What
  // is missing of a vector is 0.
  void WriteOne(bool long_vector) {
    const unsigned first = symbols_ >> (2 * (known() - 1));
    if (IsRunOf(first)) {
      Write(first << 13 | size_);
      Drop(size_);
    } else if (long_vector && !HasLarge(symbols_)) {
      Write(0x8000 | LowerBits(symbols_) << (kVector - size_));
      Drop(size_);
    } else if (size_ > kLargeVector) {
      Write(0xC000 | symbols_ >> (2 * (size_ - kLargeVector)));
      Drop(kLargeVector);
    } else {
      Write(0xC000 | symbols_ << (2 * (kLargeVector - size_)));
      Drop(size_);
    }
  }

  // The first `count` are written.
  void Drop(uint32_t count) {
    size_ -= count;
    symbols_ &= Low(2 * known());
  }

  void Write(unsigned chunk) {
    StoreBe16(to_, static_cast<uint16_t>(chunk));
    to_ += 2;
  }

  uint8_t* const begin_;
  uint8_t* to_;
  // The first fourteen pending, as they stand in a chunk: two bits each, the last one lowest; where
  // there are more, all are the same.
  uint32_t symbols_ = 0;
  uint32_t size_ = 0;
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

// Chunks and deltas of arrivals, which it is given one after the other.
class StatusWriter {
 public:
  // Writes chunks to `chunks`, where `room` bytes are for them and the deltas; the first number is
  // `begin`, and the first delta counts from `reference`, in units of deltas.
  StatusWriter(uint8_t* chunks, size_t room, int64_t begin, int64_t reference)
      : chunks_(chunks), room_(room), begin_(begin), next_(begin), last_units_(reference) {}

  // False when the arrival does not fit any more.
  bool Add(const TransportArrival& arrival) {
    const int64_t gap = arrival.sequence - next_;
    const int64_t units = UnitsOf(arrival.arrived);
    const int64_t delta = units - last_units_;
    SLUICE_DCHECK(gap >= 0);
    // Most follow each other without a gap and within 64 ms.
    if (gap == 0 && IsSmall(delta) && run_ < run_limit_) {
      ++run_;
      deltas_[deltas_size_++] = static_cast<uint8_t>(delta);
    } else if (!AddOther(arrival, gap, delta)) {
      return false;
    }
    last_units_ = units;
    next_ = arrival.sequence + 1;
    return true;
  }

  // Writes the rest and puts the deltas behind the chunks; returns the size of both.
  size_t Finish(absl::Span<uint8_t> chunks_and_deltas) {
    chunks_.Add(kSmall, run_);
    chunks_.Flush();
    CopyBytes(chunks_and_deltas.subspan(chunks_.written()),
              absl::MakeConstSpan(deltas_, deltas_size_));
    return chunks_.written() + deltas_size_;
  }

  // Behind the last number that was added.
  int64_t next() const { return next_; }

 private:
  bool AddOther(const TransportArrival& arrival, int64_t gap, int64_t delta) {
    chunks_.Add(kSmall, std::exchange(run_, 0));
    // Also the size of the delta.
    const unsigned symbol = IsSmall(delta) ? kSmall : kLarge;
    const size_t used = chunks_.written() + 2 * ChunkWriter::MaxChunks(gap) + deltas_size_ + symbol;
    const int64_t statuses = arrival.sequence - begin_ + 1;
    if (gap < 0 || statuses > kMaxTransportStatuses || !FitsDelta(delta) || used > room_) {
      return false;
    }
    chunks_.Add(kMissing, gap);
    if (symbol == kSmall) {
      run_ = 1;
      deltas_[deltas_size_] = static_cast<uint8_t>(delta);
    } else {
      chunks_.Add(kLarge, 1);
      StoreBe16(deltas_ + deltas_size_, static_cast<uint16_t>(delta));
    }
    deltas_size_ += symbol;
    // Chunks that a run may need more, and a byte for each of its deltas.
    const auto left = static_cast<int64_t>(room_ - deltas_size_ - chunks_.written()) -
                      2 * static_cast<int64_t>(ChunkWriter::MaxChunks(0));
    run_limit_ = std::min({left, kMaxTransportStatuses - statuses + run_, int64_t{kMaxRun} - 1});
    return true;
  }

  ChunkWriter chunks_;
  const size_t room_;
  const int64_t begin_;
  int64_t next_;
  int64_t last_units_;
  // Packets in a row with small deltas that are not in `chunks_` yet, and how many there may be
  // before the room is to be looked at.
  int64_t run_ = 0;
  int64_t run_limit_ = 0;
  size_t deltas_size_ = 0;
  // They follow the chunks, whose number is known at the end only.
  uint8_t deltas_[2 * kMaxTransportArrivals];
};

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

  StatusWriter statuses(buffer.data() + kHeaderSize, room, begin, reference);
  for (const TransportArrival& arrival :
       arrivals.first(std::min(arrivals.size(), kMaxTransportArrivals))) {
    if (!statuses.Add(arrival)) {
      break;
    }
    ++written;
  }
  if (written == 0) {
    return 0;
  }
  uint8_t* end = buffer.data() + kHeaderSize + statuses.Finish(buffer.subspan(kHeaderSize));
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
  StoreBe16(buffer.data() + 14, static_cast<uint16_t>(statuses.next() - begin));
  // Modulo 2^24.
  StoreBe24(buffer.data() + 16, static_cast<uint32_t>(reference / kDeltasPerReference));
  buffer[19] = header.feedback_count;
  return size;
}

}  // namespace sluice

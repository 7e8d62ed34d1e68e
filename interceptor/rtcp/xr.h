#ifndef INTERCEPTOR_RTCP_XR_H_
#define INTERCEPTOR_RTCP_XR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "absl/types/span.h"
#include "base/bounded_reader.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtp_types.h"

namespace sluice {

// When a receiver that sends nothing sent this: the first half of its round trip (RFC 3611
// section 4.4).
struct ReceiverReferenceTime {
  // Seconds since 1900 in 32.32 bits.
  uint64_t ntp_time = 0;

  friend bool operator==(const ReceiverReferenceTime&, const ReceiverReferenceTime&) = default;
};

// The second half, for one receiver (RFC 3611 section 4.5).
struct ReferenceTimeAnswer {
  Ssrc ssrc = Ssrc(0);
  // The middle 32 bits of its last reference time; 0: none came yet.
  uint32_t last_reference_time = 0;
  // Since then, in 1/65536 s.
  uint32_t delay_since = 0;

  friend bool operator==(const ReferenceTimeAnswer&, const ReferenceTimeAnswer&) = default;
};

// Answers of one block: DLRR (RFC 3611 section 4.5). Points into the bytes it was parsed from.
class ReferenceTimeAnswers {
 public:
  static constexpr size_t kAnswerSize = 12;

  // nullopt unless `body`, what follows a block's header, is a whole number of answers.
  static std::optional<ReferenceTimeAnswers> From(absl::Span<const uint8_t> body);

  size_t count() const { return body_.size() / kAnswerSize; }
  // `i` < count().
  ReferenceTimeAnswer answer(size_t i) const;

 private:
  explicit ReferenceTimeAnswers(absl::Span<const uint8_t> body) : body_(body) {}

  absl::Span<const uint8_t> body_;
};

// How a call sounded (RFC 3611 section 4.7), in the field's own units; 127 is "unavailable" for the
// signed ones and for the factors and scores.
struct VoipMetrics {
  Ssrc ssrc = Ssrc(0);
  // In 1/256.
  uint8_t loss_rate = 0;
  uint8_t discard_rate = 0;
  uint8_t burst_density = 0;
  uint8_t gap_density = 0;
  // Milliseconds.
  uint16_t burst_duration = 0;
  uint16_t gap_duration = 0;
  uint16_t round_trip_delay = 0;
  uint16_t end_system_delay = 0;
  // dBm0 and dB.
  int8_t signal_level = 127;
  int8_t noise_level = 127;
  uint8_t residual_echo_return_loss = 127;
  uint8_t gap_threshold = 16;
  // 0..100.
  uint8_t r_factor = 127;
  uint8_t external_r_factor = 127;
  // Tenths, 10..50.
  uint8_t mos_listening = 127;
  uint8_t mos_conversational = 127;
  // Bits of section 4.7.6.
  uint8_t receiver_configuration = 0;
  // Milliseconds.
  uint16_t jitter_buffer_nominal = 0;
  uint16_t jitter_buffer_maximum = 0;
  uint16_t jitter_buffer_absolute_maximum = 0;

  friend bool operator==(const VoipMetrics&, const VoipMetrics&) = default;
};

// What became of the blocks of one packet.
struct XrBlockCounts {
  size_t read = 0;
  // Of a type that is not known, or that nobody wanted.
  size_t skipped = 0;
  // Of a known type with a length that is not its own, or longer than the packet, which then ends
  // there.
  size_t malformed = 0;
};

// An extended report: XR (RFC 3611 section 2). Points into the bytes it was parsed from.
class XrView {
 public:
  // nullopt unless `packet` is an XR with its SSRC. Of its blocks nothing is proven yet.
  static std::optional<XrView> Parse(absl::Span<const uint8_t> packet);

  // Of who reports.
  Ssrc ssrc() const { return ssrc_; }

  // Calls `f` with each block of a type that it takes: `const ReceiverReferenceTime&`,
  // `const ReferenceTimeAnswers&`, `const VoipMetrics&`.
  template <typename F>
  XrBlockCounts ForEachBlock(F&& f) const;

 private:
  friend class XrWriter;

  // RFC 3611 section 4.
  static constexpr uint8_t kReferenceTimeType = 4;
  static constexpr uint8_t kAnswersType = 5;
  static constexpr uint8_t kVoipMetricsType = 7;

  XrView(Ssrc ssrc, absl::Span<const uint8_t> blocks) : ssrc_(ssrc), blocks_(blocks) {}

  static std::optional<ReceiverReferenceTime> ReadReferenceTime(absl::Span<const uint8_t> body);
  static std::optional<VoipMetrics> ReadVoipMetrics(absl::Span<const uint8_t> body);

  template <typename Block, typename F>
  static void Offer(std::optional<Block> (*read)(absl::Span<const uint8_t>),
                    absl::Span<const uint8_t> body, F& f, XrBlockCounts& counts);

  Ssrc ssrc_;
  absl::Span<const uint8_t> blocks_;
};

// Writes an XR block by block into a buffer of the caller.
class XrWriter {
 public:
  XrWriter(Ssrc ssrc, absl::Span<uint8_t> buffer);

  void Add(const ReceiverReferenceTime& time);
  // As one block.
  void Add(absl::Span<const ReferenceTimeAnswer> answers);
  void Add(const VoipMetrics& metrics);

  // The packet's size, or 0 when something did not fit.
  size_t Finish() { return writer_.Finish(); }

 private:
  void BlockHeader(uint8_t type, size_t body_size);

  RtcpPacketWriter writer_;
};

template <typename Block, typename F>
void XrView::Offer(std::optional<Block> (*read)(absl::Span<const uint8_t>),
                   absl::Span<const uint8_t> body, F& f, XrBlockCounts& counts) {
  if constexpr (std::is_invocable_v<F&, const Block&>) {
    const std::optional<Block> block = read(body);
    if (!block.has_value()) {
      ++counts.malformed;
      return;
    }
    f(*block);
    ++counts.read;
  } else {
    ++counts.skipped;
  }
}

template <typename F>
XrBlockCounts XrView::ForEachBlock(F&& f) const {
  XrBlockCounts counts;
  ByteReader reader(blocks_);
  while (!reader.empty()) {
    uint8_t type, specific;
    uint16_t words;
    absl::Span<const uint8_t> body;
    if (!reader.ReadU8(type) || !reader.ReadU8(specific) || !reader.ReadU16(words) ||
        !reader.ReadBytes(size_t{words} * 4, body)) {
      ++counts.malformed;
      break;
    }
    switch (type) {
      case kReferenceTimeType:
        Offer(&XrView::ReadReferenceTime, body, f, counts);
        break;
      case kAnswersType:
        Offer(&ReferenceTimeAnswers::From, body, f, counts);
        break;
      case kVoipMetricsType:
        Offer(&XrView::ReadVoipMetrics, body, f, counts);
        break;
      default:
        ++counts.skipped;
    }
  }
  return counts;
}

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_XR_H_

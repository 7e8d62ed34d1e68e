#ifndef INTERCEPTOR_RTCP_CCFB_H_
#define INTERCEPTOR_RTCP_CCFB_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/bounded_reader.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtp_types.h"

namespace sluice {

// A quarter of the sequence numbers; a block that reports on more is not to be believed (RFC 8888
// section 3.1).
inline constexpr size_t kMaxCcfbMetrics = 16384;

// Explicit congestion notification as it arrived (RFC 3168 section 5).
enum class EcnMark : uint8_t { kNotCapable = 0, kCapable1 = 1, kCapable0 = 2, kCongestion = 3 };

// One packet's fate (RFC 8888 section 3.1).
struct CcfbMetric {
  // Values of `arrival_offset` that are no time: farther back than it can say, and unknown.
  static constexpr uint16_t kOutOfRange = 0x1FFE;
  static constexpr uint16_t kUnavailable = 0x1FFF;

  bool received = false;
  // Without meaning unless received, as is what follows.
  EcnMark ecn = EcnMark::kNotCapable;
  // How long before the report's timestamp, in 1/1024 s; 13 bits.
  uint16_t arrival_offset = 0;

  friend bool operator==(const CcfbMetric&, const CcfbMetric&) = default;
};

// What is said of one stream. Points into the bytes it was parsed from.
class CcfbStream {
 public:
  CcfbStream(Ssrc ssrc, SequenceNumber begin, absl::Span<const uint8_t> metrics)
      : ssrc_(ssrc), begin_(begin), metrics_(metrics) {}

  Ssrc ssrc() const { return ssrc_; }
  // Of the first metric; those behind it count up and wrap.
  SequenceNumber begin() const { return begin_; }
  // 0..kMaxCcfbMetrics.
  size_t metric_count() const { return metrics_.size() / 2; }
  // `i` < metric_count().
  CcfbMetric metric(size_t i) const {
    SLUICE_DCHECK(i < metric_count());
    const uint16_t bits = LoadBe16(metrics_.data() + 2 * i);
    if ((bits & 0x8000) == 0) {
      return {};
    }
    return {true, static_cast<EcnMark>(bits >> 13 & 3), static_cast<uint16_t>(bits & 0x1FFF)};
  }

 private:
  Ssrc ssrc_;
  SequenceNumber begin_;
  absl::Span<const uint8_t> metrics_;
};

// Congestion control feedback: CCFB (RFC 8888 section 3.1). Points into the bytes it was parsed
// from.
class CcfbView {
 public:
  // nullopt unless `packet` is a CCFB with sender and timestamp. Of what is between them nothing is
  // proven yet.
  static std::optional<CcfbView> Parse(absl::Span<const uint8_t> packet);

  Ssrc sender() const { return sender_; }
  // The middle 32 bits of an NTP time, by the clock of the peer's sender reports.
  uint32_t timestamp() const { return timestamp_; }

  // Calls `f(const CcfbStream&)` for each stream in order. Stops in front of the first block that
  // is longer than the packet or than kMaxCcfbMetrics, and is false then; what came before counts.
  template <typename F>
  bool ForEachStream(F&& f) const;

 private:
  CcfbView(Ssrc sender, uint32_t timestamp, absl::Span<const uint8_t> blocks)
      : sender_(sender), timestamp_(timestamp), blocks_(blocks) {}

  Ssrc sender_;
  uint32_t timestamp_;
  absl::Span<const uint8_t> blocks_;
};

// Writes a CCFB stream by stream into a buffer of the caller.
class CcfbWriter {
 public:
  CcfbWriter(Ssrc sender, uint32_t timestamp, absl::Span<uint8_t> buffer);

  // Adds a block about `metrics`, the first of which is of `begin`. As many of them as there is
  // room for, at most kMaxCcfbMetrics: returns how many, and the rest is for another packet. 0
  // without room for one; no metrics at all give a block without any where there is room.
  size_t AddStream(Ssrc ssrc, SequenceNumber begin, absl::Span<const CcfbMetric> metrics);

  // The packet's size, or 0 when there was no room for its fixed parts.
  size_t Finish();

 private:
  RtcpPacketWriter writer_;
  uint32_t timestamp_;
};

template <typename F>
bool CcfbView::ForEachStream(F&& f) const {
  ByteReader reader(blocks_);
  while (!reader.empty()) {
    uint32_t ssrc;
    uint16_t begin, count;
    absl::Span<const uint8_t> metrics;
    if (!reader.ReadU32(ssrc) || !reader.ReadU16(begin) || !reader.ReadU16(count) ||
        count > kMaxCcfbMetrics || !reader.ReadBytes(size_t{count} * 2, metrics) ||
        !reader.Skip(count % 2 * size_t{2})) {
      return false;
    }
    f(CcfbStream(Ssrc(ssrc), SequenceNumber(begin), metrics));
  }
  return true;
}

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_CCFB_H_

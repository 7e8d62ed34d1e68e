#include "interceptor/rtcp/ccfb.h"

#include <algorithm>

#include "interceptor/rtcp/packet_body.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {
namespace {

constexpr size_t kTimestampSize = 4;
// SSRC, first sequence number, count.
constexpr size_t kBlockHeaderSize = 8;

uint16_t BitsOf(const CcfbMetric& metric) {
  // What was not received has no mark and no time (RFC 8888 section 3.1).
  return metric.received
             ? static_cast<uint16_t>(0x8000 | static_cast<unsigned>(metric.ecn) << 13 |
                                     std::min(metric.arrival_offset, CcfbMetric::kUnavailable))
             : uint16_t{0};
}

}  // namespace

std::optional<CcfbView> CcfbView::Parse(absl::Span<const uint8_t> packet) {
  constexpr size_t kSenderSize = 4;
  const std::optional<RtcpPacketBody> body = RtcpPacketBody::Parse(packet, kRtcpTransportFeedback);
  if (!body.has_value() || body->count != kCongestionControlFormat ||
      body->bytes.size() < kSenderSize + kTimestampSize) {
    return std::nullopt;
  }
  // The first stream's SSRC stands where other feedback has its media SSRC.
  const size_t blocks_size = body->bytes.size() - kSenderSize - kTimestampSize;
  return CcfbView(Ssrc(LoadBe32(body->bytes.data())),
                  LoadBe32(body->bytes.data() + kSenderSize + blocks_size),
                  body->bytes.subspan(kSenderSize, blocks_size));
}

CcfbWriter::CcfbWriter(Ssrc sender, uint32_t timestamp, absl::Span<uint8_t> buffer)
    : writer_(buffer, kCongestionControlFormat, kRtcpTransportFeedback), timestamp_(timestamp) {
  writer_.PutSsrc(sender);
}

size_t CcfbWriter::AddStream(Ssrc ssrc, SequenceNumber begin,
                             absl::Span<const CcfbMetric> metrics) {
  const size_t remaining = writer_.remaining();
  if (remaining < kBlockHeaderSize + kTimestampSize) {
    return 0;
  }
  // Two to a word: an odd one is padded.
  const size_t room = (remaining - kBlockHeaderSize - kTimestampSize) / 4 * 2;
  const size_t count = std::min({metrics.size(), room, kMaxCcfbMetrics});
  if (count == 0 && !metrics.empty()) {
    return 0;
  }
  writer_.PutSsrc(ssrc);
  writer_.U16(begin.value());
  writer_.U16(static_cast<uint16_t>(count));
  for (const CcfbMetric& metric : metrics.first(count)) {
    writer_.U16(BitsOf(metric));
  }
  writer_.Align();
  return count;
}

size_t CcfbWriter::Finish() {
  writer_.U32(timestamp_);
  return writer_.Finish();
}

}  // namespace sluice

#ifndef INTERCEPTOR_RTCP_SENDER_REPORT_H_
#define INTERCEPTOR_RTCP_SENDER_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "interceptor/rtcp/report_block.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What a sender says of itself (RFC 3550 section 6.4.1).
struct SenderInfo {
  Ssrc ssrc = Ssrc(0);
  // Seconds since 1900 in 32.32 bits.
  uint64_t ntp_time = 0;
  // The same instant by the stream's clock.
  RtpTimestamp rtp_timestamp = RtpTimestamp(0);
  // Sent since the beginning of transmission; both wrap.
  uint32_t packet_count = 0;
  // Payload without header and padding.
  uint32_t octet_count = 0;

  friend bool operator==(const SenderInfo&, const SenderInfo&) = default;
};

// A sender report: SR. Points into the bytes it was parsed from.
class SenderReportView {
 public:
  // nullopt unless `packet` is an SR that has its sender information and as many report blocks as
  // it counts. What follows is the profile's (RFC 3550 section 6.4.3).
  static std::optional<SenderReportView> Parse(absl::Span<const uint8_t> packet);

  const SenderInfo& sender() const { return sender_; }
  // 0..31.
  size_t block_count() const { return blocks_.size() / kReportBlockSize; }
  // `i` < block_count().
  ReportBlock block(size_t i) const;
  // Profile-specific extension, empty as a rule.
  absl::Span<const uint8_t> extension() const { return extension_; }

 private:
  SenderReportView() = default;

  SenderInfo sender_;
  absl::Span<const uint8_t> blocks_;
  absl::Span<const uint8_t> extension_;
};

// Writes an SR with at most kMaxReportBlocks blocks: its size, or 0 when it does not fit or there
// are more.
size_t WriteSenderReport(const SenderInfo& sender, absl::Span<const ReportBlock> blocks,
                         absl::Span<uint8_t> buffer);

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_SENDER_REPORT_H_

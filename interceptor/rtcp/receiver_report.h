#ifndef INTERCEPTOR_RTCP_RECEIVER_REPORT_H_
#define INTERCEPTOR_RTCP_RECEIVER_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "interceptor/rtcp/report_block.h"
#include "srtp/rtp_types.h"

namespace sluice {

// A receiver report: RR (RFC 3550 section 6.4.2). Points into the bytes it was parsed from.
class ReceiverReportView {
 public:
  // nullopt unless `packet` is an RR that has as many report blocks as it counts. What follows is
  // the profile's (RFC 3550 section 6.4.3).
  static std::optional<ReceiverReportView> Parse(absl::Span<const uint8_t> packet);

  // Of who reports.
  Ssrc ssrc() const { return ssrc_; }
  // 0..31.
  size_t block_count() const { return blocks_.size() / kReportBlockSize; }
  // `i` < block_count().
  ReportBlock block(size_t i) const;
  // Profile-specific extension, empty as a rule.
  absl::Span<const uint8_t> extension() const { return extension_; }

 private:
  explicit ReceiverReportView(Ssrc ssrc) : ssrc_(ssrc) {}

  Ssrc ssrc_;
  absl::Span<const uint8_t> blocks_;
  absl::Span<const uint8_t> extension_;
};

// Writes an RR with at most kMaxReportBlocks blocks: its size, or 0 when it does not fit or there
// are more.
size_t WriteReceiverReport(Ssrc ssrc, absl::Span<const ReportBlock> blocks,
                           absl::Span<uint8_t> buffer);

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_RECEIVER_REPORT_H_

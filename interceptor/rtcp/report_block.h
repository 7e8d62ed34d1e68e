#ifndef INTERCEPTOR_RTCP_REPORT_BLOCK_H_
#define INTERCEPTOR_RTCP_REPORT_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "base/bounded_reader.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtp_types.h"

namespace sluice {

inline constexpr size_t kReportBlockSize = 24;
// Five bits count them (RFC 3550 section 6.4.1).
inline constexpr size_t kMaxReportBlocks = 31;
// Cumulative loss has 24 bits and a sign (RFC 3550 section 6.4.1).
inline constexpr int32_t kMaxCumulativeLost = 0x7FFFFF;
inline constexpr int32_t kMinCumulativeLost = -0x800000;

// What a receiver says of one source (RFC 3550 section 6.4.1).
struct ReportBlock {
  Ssrc ssrc = Ssrc(0);
  // In 1/256 of the packets expected since the last report.
  uint8_t fraction_lost = 0;
  // Packets; negative when more arrived than were expected.
  int32_t cumulative_lost = 0;
  uint32_t extended_highest_sequence = 0;
  // In units of the source's RTP clock.
  uint32_t jitter = 0;
  // The middle 32 bits of the last sender report's NTP time; 0: none came yet.
  uint32_t last_sender_report = 0;
  // Since then, in 1/65536 s.
  uint32_t delay_since_last_sender_report = 0;

  friend bool operator==(const ReportBlock&, const ReportBlock&) = default;
};

ReportBlock ReadReportBlock(const FixedReader<kReportBlockSize>& bytes);

// Loss beyond the 24 bits is written as the nearest that fits.
void WriteReportBlock(const ReportBlock& block, RtcpPacketWriter& writer);

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_REPORT_BLOCK_H_

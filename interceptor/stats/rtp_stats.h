#ifndef INTERCEPTOR_STATS_RTP_STATS_H_
#define INTERCEPTOR_STATS_RTP_STATS_H_

#include <cstdint>
#include <optional>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/rtcp/xr.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What is known of one stream at one moment, in the terms of W3C "Identifiers for WebRTC's
// Statistics API": plain values that point to nothing and may be kept as long as one likes. Counts
// are since the stream was added and never run backwards; what a report of the peer says is as of
// its last one.

// Packets and bytes of a stream on the wire, one direction. The three kinds of packets are
// disjoint.
struct RtpTrafficStats {
  // Of the media SSRC, without what is counted as retransmitted.
  uint64_t packets = 0;
  // Payload without padding; and what is around it, IP and UDP left out.
  uint64_t payload_bytes = 0;
  uint64_t overhead_bytes = 0;
  // Of the SSRC for retransmissions (RFC 4588), payload alike. Ours also where they go under the
  // media SSRC; a peer's cannot be told there.
  uint64_t retransmitted_packets = 0;
  uint64_t retransmitted_bytes = 0;
  // Of the SSRC for parity (RFC 8627).
  uint64_t repair_packets = 0;
  uint64_t repair_bytes = 0;
  // Of all three; MinusInfinity: none yet.
  Timestamp last_packet = Timestamp::MinusInfinity();
};

// Feedback about a stream: what we sent about one that comes, what came about one of ours.
struct RtpFeedbackStats {
  // Packets, however many numbers they name (RFC 4585 section 6.2.1).
  uint64_t nacks = 0;
  // RFC 4585 section 6.3.1.
  uint64_t picture_losses = 0;
  // By target: the packet itself names nobody (RFC 5104 section 4.3.1.2).
  uint64_t full_intra_requests = 0;
};

// A round trip measured again and again: total / measurements is the mean.
struct RoundTripStats {
  // Nothing before the first.
  std::optional<TimeDelta> last;
  TimeDelta total = TimeDelta::Zero();
  uint64_t measurements = 0;
};

// What the peer says of a stream that it sends (RFC 3550 section 6.4.1): its last sender report.
struct RemoteOutboundRtpStats {
  // Reports so far; with 0 of them, all else means nothing.
  uint64_t reports = 0;
  // When the last came; MinusInfinity: none yet.
  Timestamp last_report = Timestamp::MinusInfinity();
  // Sent by the peer; both wrap.
  uint32_t packets = 0;
  uint32_t payload_bytes = 0;
  // By the peer's clock: seconds since 1900 in 32.32 bits, and the same instant as RTP timestamp.
  uint64_t ntp_time = 0;
  RtpTimestamp rtp_timestamp = RtpTimestamp(0);
  // By reference times (RFC 3611 sections 4.4 and 4.5).
  RoundTripStats round_trip;
};

// What the peer says of a stream of ours (RFC 3550 section 6.4.1): its last report block.
struct RemoteInboundRtpStats {
  // Blocks so far; with 0 of them, all else means nothing.
  uint64_t reports = 0;
  // When the last came; MinusInfinity: none yet.
  Timestamp last_report = Timestamp::MinusInfinity();
  // Of the interval before the report: 0..255/256.
  double fraction_lost = 0;
  // Packets, with a sign: negative when the peer received more than were expected.
  int32_t cumulative_lost = 0;
  uint32_t extended_highest_sequence = 0;
  // In units of the stream's RTP clock, and as time.
  uint32_t jitter_units = 0;
  TimeDelta jitter = TimeDelta::Zero();
  RoundTripStats round_trip;
  // How it sounds there by loss, jitter and delay, 1 (bad) .. 4.5 (e_model.h); 0 before the first
  // block. Meaningful for audio.
  double mean_opinion_score = 0;
  // The peer's own opinion (RFC 3611 section 4.7); nothing when it sends none.
  std::optional<VoipMetrics> voip;
};

// A stream from the peer.
struct InboundRtpStats {
  // Of the media.
  Ssrc ssrc = Ssrc(0);
  RtpTrafficStats traffic;
  // Expected minus received media packets, with a sign: duplicates are received once more (RFC 3550
  // section 6.4.1 and appendix A.3). Measured in front of repair.
  int64_t lost = 0;
  // Behind a newer one; not duplicates.
  uint64_t late = 0;
  uint64_t duplicates = 0;
  // How often its numbers began anew.
  uint64_t restarts = 0;
  // RFC 3550 section 6.4.1: in units of the clock of the last packet, and as time.
  uint32_t jitter_units = 0;
  TimeDelta jitter = TimeDelta::Zero();
  // In the last whole RtpStreamStats::kQualityWindow: 0..255/256.
  double recent_loss = 0;
  // How it sounds here in that window, 1 (bad) .. 4.5 (e_model.h); 0 before the first packet.
  // Meaningful for audio.
  double mean_opinion_score = 0;
  // Sent by us.
  RtpFeedbackStats feedback_sent;
  RemoteOutboundRtpStats remote;
};

// A stream to the peer.
struct OutboundRtpStats {
  // Of the media.
  Ssrc ssrc = Ssrc(0);
  RtpTrafficStats traffic;
  // Of ours or forwarded.
  uint64_t sender_reports = 0;
  // From the peer.
  RtpFeedbackStats feedback_received;
  RemoteInboundRtpStats remote;
};

}  // namespace sluice

#endif  // INTERCEPTOR_STATS_RTP_STATS_H_

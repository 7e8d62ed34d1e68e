#ifndef GATEWAY_LEG_STREAM_STATISTICS_H_
#define GATEWAY_LEG_STREAM_STATISTICS_H_

#include <cstdint>
#include <optional>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/rtp_summary.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What is counted of one SSRC in one direction: packets and payload, sequence numbers and loss
// (RFC 3550 appendices A.1 and A.3), interarrival jitter (appendix A.8). Given only packets that
// were accepted, so the appendix's probation of new sources is left out.
class StreamStatistics {
 public:
  // `clock_rate` is that of the packet's payload type, not 0.
  void OnPacket(Timestamp now, const RtpSummary& packet, uint32_t clock_rate);

  // When the last packet came; MinusInfinity before the first.
  Timestamp last_packet() const { return last_packet_; }

  StreamSnapshot Snapshot(Ssrc ssrc, StreamDirection direction) const;

 private:
  // A number outside of the range that A.1 believes, waiting for its successor. Wider than a
  // sequence number, so that none compares equal.
  static constexpr uint32_t kNoBadSequence = UINT32_MAX;

  void BeginSequence(uint16_t sequence);
  void UpdateSequence(uint16_t sequence);
  void UpdateJitter(Timestamp now, const RtpSummary& packet, uint32_t clock_rate);
  uint64_t extended_highest() const { return cycles_ + highest_; }
  // Expected minus received since the sequence began (appendix A.3).
  int64_t LostInSequence() const;

  uint64_t packets_ = 0;
  uint64_t payload_bytes_ = 0;
  uint8_t payload_type_ = 0;

  // Names of appendix A.1: max_seq, base_seq, bad_seq, cycles, received.
  uint16_t highest_ = 0;
  // Extended, and below 0 when the first packet had overtaken one from before a wrap.
  int64_t base_ = 0;
  uint32_t bad_ = kNoBadSequence;
  uint64_t cycles_ = 0;
  uint64_t received_ = 0;
  // Lost before the sender last began a new sequence.
  int64_t lost_before_ = 0;

  Timestamp last_packet_ = Timestamp::MinusInfinity();
  uint32_t last_timestamp_ = 0;
  // `last_packet_` and `last_timestamp_` belong to the same run of timestamps as the next packet.
  bool has_reference_ = false;
  // Unit of `jitter_`; 0 before the first packet.
  uint32_t clock_rate_ = 0;
  // In units of 1/16 of the clock's period, as in appendix A.8.
  int64_t jitter_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_STREAM_STATISTICS_H_

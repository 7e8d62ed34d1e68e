#ifndef GATEWAY_LEG_STREAM_STATISTICS_H_
#define GATEWAY_LEG_STREAM_STATISTICS_H_

#include <cstdint>

#include "base/timestamp.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/rtp_summary.h"
#include "interceptor/report/interarrival_jitter.h"
#include "interceptor/report/source_sequence.h"
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
  // Beyond it a sender has another time base.
  static constexpr uint32_t kMaxJitterSeconds = 60;

  void CountSequence(SequenceNumber number);
  // Expected minus received since the sequence began (appendix A.3), the highest being `highest`.
  int64_t LostUpTo(int64_t highest) const;

  uint64_t packets_ = 0;
  uint64_t payload_bytes_ = 0;
  uint8_t payload_type_ = 0;

  SourceSequence sequence_;
  // The lowest number since the sender last began; below 0 when the first packet had overtaken one
  // from before a wrap.
  int64_t base_ = 0;
  // Since then.
  int64_t received_ = 0;
  // Before then.
  int64_t lost_before_ = 0;

  Timestamp last_packet_ = Timestamp::MinusInfinity();
  InterarrivalJitter jitter_{kMaxJitterSeconds};
};

}  // namespace sluice

#endif  // GATEWAY_LEG_STREAM_STATISTICS_H_

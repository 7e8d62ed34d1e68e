#ifndef INTERCEPTOR_REPORT_INTERARRIVAL_JITTER_H_
#define INTERCEPTOR_REPORT_INTERARRIVAL_JITTER_H_

#include <cstdint>
#include <limits>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "srtp/rtp_types.h"

namespace sluice {

// How unevenly packets of one stream arrive (RFC 3550 section 6.4.1, appendix A.8): the smoothed
// difference between how far apart two packets arrived and how far apart their timestamps are.
// Whole numbers modulo 2^32 throughout, so that a timestamp that wraps is no event, and the same as
// the appendix computes. A value of fixed size.
class InterarrivalJitter {
 public:
  // Two packets whose distances differ by more than `max_seconds` count as if by that much: beyond
  // is a source with another time base, and one such packet must not hide the jitter for long. The
  // appendix has no such bound.
  explicit InterarrivalJitter(uint32_t max_seconds = std::numeric_limits<uint32_t>::max())
      : max_seconds_(max_seconds) {}

  // For each packet in the order of arrival. `clock_rate` is that of the packet's payload type, not
  // 0; when it changes, the packet is the first of a new measure (RFC 7160 section 4.2) and the
  // jitter so far is kept in the new unit.
  void Update(Timestamp arrival, RtpTimestamp timestamp, uint32_t clock_rate);

  // The source began anew: the next packet is compared with none before it.
  void Restart() { started_ = false; }

  // In units of the last clock.
  uint32_t jitter() const;
  TimeDelta duration() const;

 private:
  uint32_t max_seconds_;
  // In 1/16 units. 64 bits: 16 times the largest difference does not fit into 32.
  uint64_t scaled_ = 0;
  // Arrival minus timestamp of the last packet, modulo 2^32.
  uint32_t transit_ = 0;
  // 0: no packet came.
  uint32_t clock_rate_ = 0;
  bool started_ = false;
};

// `time` in units of a clock, modulo 2^32: what an RTP timestamp would be. Towards minus infinity.
uint32_t ClockTicks(Timestamp time, uint32_t clock_rate);

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_INTERARRIVAL_JITTER_H_

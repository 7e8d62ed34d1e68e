#ifndef INTERCEPTOR_REPORT_SOURCE_SEQUENCE_H_
#define INTERCEPTOR_REPORT_SOURCE_SEQUENCE_H_

#include <cstdint>

#include "srtp/rtp_types.h"

namespace sluice {

// Where a packet stands among those that came before.
enum class SequenceStep : uint8_t {
  // In front of all others; the first packet is.
  kForward,
  // At the newest or behind it.
  kBack,
  // Far from all others, and alone so far.
  kFar,
  // The second in a row far from all others: the source began anew.
  kRestart,
};

// Sequence numbers of one source, extended by how often they wrapped (RFC 3550 appendix A.1). A
// source needs no probation here: it is authenticated and signalled. A value of fixed size.
class SourceSequence {
 public:
  // Both as in the appendix: what is further in front or behind is not on its way in this
  // sequence. At 50 packets per second, one minute and two seconds.
  static constexpr uint16_t kMaxDropout = 3000;
  static constexpr uint16_t kMaxMisorder = 100;

  SequenceStep Record(SequenceNumber sequence);

  // False until the first packet.
  bool started() const { return started_; }
  // Never goes back: after a restart it is in the next cycle, or a peer would think that packets
  // were unsent.
  int64_t highest() const { return highest_; }
  // The last packet's own number, unless that was far. Below zero when it was sent before the very
  // first one to come.
  int64_t last() const { return last_; }

 private:
  // No number that follows a 16-bit one.
  static constexpr uint32_t kNobody = 0x10000;

  bool started_ = false;
  int64_t highest_ = 0;
  int64_t last_ = 0;
  // What must come next to believe a restart.
  uint32_t believed_next_ = kNobody;
};

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_SOURCE_SEQUENCE_H_

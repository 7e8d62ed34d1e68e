#ifndef INTERCEPTOR_REPORT_MEDIA_CLOCK_H_
#define INTERCEPTOR_REPORT_MEDIA_CLOCK_H_

#include <cstdint>
#include <optional>

#include "base/timestamp.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Which RTP timestamp a stream of ours has at a given time, for its sender reports: receivers play
// streams together by it (RFC 3550 section 6.4.1). Follows the newest packet only; reordered and
// repeated packets, and further packets of the same frame, come too late to tell. A value of fixed
// size.
class MediaClock {
 public:
  // For each packet sent. `clock_rate` is that of its payload type, not 0.
  void OnPacket(Timestamp now, SequenceNumber sequence, RtpTimestamp timestamp,
                uint32_t clock_rate) {
    const bool first = clock_rate_ == 0;
    const auto backward = static_cast<uint16_t>(newest_.value() - sequence.value());
    if (!first && backward <= kMaxMisorder) {
      return;
    }
    newest_ = sequence;
    if (!first && timestamp == timestamp_ && clock_rate == clock_rate_) {
      return;
    }
    clock_rate_ = clock_rate;
    sent_ = now;
    timestamp_ = timestamp;
  }

  // Extrapolated from the newest packet. Nothing before the first.
  std::optional<RtpTimestamp> At(Timestamp now) const;

 private:
  // A number that is further back than any packet is late: the source began anew. As in RFC 3550
  // appendix A.1, where 100 are enough for the receiver's window; sources behind us reorder more.
  static constexpr uint16_t kMaxMisorder = 1000;

  // 0: no packet yet.
  uint32_t clock_rate_ = 0;
  SequenceNumber newest_ = SequenceNumber(0);
  Timestamp sent_ = Timestamp::MinusInfinity();
  RtpTimestamp timestamp_ = RtpTimestamp(0);
};

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_MEDIA_CLOCK_H_

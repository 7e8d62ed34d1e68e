#ifndef INTERCEPTOR_TWCC_FEEDBACK_GENERATOR_H_
#define INTERCEPTOR_TWCC_FEEDBACK_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/packet_attributes.h"
#include "interceptor/rtcp/transport_feedback.h"
#include "interceptor/twcc/arrival_log.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Transport-wide feedback about the packets that came
// (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1): everything between the last
// report and the newest packet, once, and again from where a packet came late. All memory is taken
// in the constructor. One thread.
class FeedbackGenerator {
 public:
  // `sender` is whose feedback it is; `log_capacity` is valid for an ArrivalLog.
  FeedbackGenerator(Ssrc sender, size_t log_capacity);

  ArrivalVerdict Record(Ssrc media, TransportSequence sequence, Timestamp arrived) {
    header_.media = media;
    return log_.Record(sequence.value(), arrived);
  }

  // Writes the next feedback packet; there may be more to say behind it. Its size, or 0 when there
  // is nothing to say or `buffer` is too small for anything.
  size_t WriteNext(absl::Span<uint8_t> buffer);

  bool HasNews() const { return log_.HasNews(); }
  // Feedback is due whatever its pace.
  bool IsUrgent() const { return log_.IsHalfFull(); }
  const ArrivalLog& log() const { return log_; }

 private:
  ArrivalLog log_;
  TransportFeedbackHeader header_;
  // Reserved in full.
  std::vector<TransportArrival> arrivals_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_FEEDBACK_GENERATOR_H_

#ifndef INTERCEPTOR_TWCC_FEEDBACK_READER_H_
#define INTERCEPTOR_TWCC_FEEDBACK_READER_H_

#include "interceptor/rtcp/transport_feedback.h"
#include "interceptor/twcc/reference_time.h"
#include "interceptor/twcc/report_builder.h"
#include "interceptor/twcc/send_log.h"

namespace sluice {

// Understands the peer's transport-wide feedback: numbers as those of packets in a log, times as
// one time line (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1). One thread.
class FeedbackReader {
 public:
  // What `feedback` says of the packets in `log` goes into `builder`. Deltas of packets that are
  // not in the log count for those behind them.
  void Read(const TransportFeedbackView& feedback, const SendLog& log, ReportBuilder& builder);

 private:
  ReferenceTime reference_time_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_FEEDBACK_READER_H_

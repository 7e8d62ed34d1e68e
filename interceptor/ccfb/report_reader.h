#ifndef INTERCEPTOR_CCFB_REPORT_READER_H_
#define INTERCEPTOR_CCFB_REPORT_READER_H_

#include <cstdint>

#include "base/sequence_unwrapper.h"
#include "interceptor/ccfb/sent_index.h"
#include "interceptor/rtcp/ccfb.h"
#include "interceptor/twcc/report_builder.h"
#include "interceptor/twcc/send_log.h"

namespace sluice {

// Understands the peer's feedback of RFC 8888: names as packets of a log, times as one time line.
// One thread.
class CongestionReportReader {
 public:
  // What `feedback` says of the packets in `log`, found by `index`, goes into `builder`.
  void Read(const CcfbView& feedback, const SendLog& log, const SentIndex& index,
            ReportBuilder& builder);

  // Since construction: reports on packets that are not in the log; packets that arrived nobody
  // knows when; blocks that are longer than their packet.
  uint64_t unknown() const { return unknown_; }
  uint64_t untimed() const { return untimed_; }
  uint64_t malformed() const { return malformed_; }

 private:
  // Units of 1/65536 s.
  SequenceUnwrapper<uint32_t> clock_;
  uint64_t unknown_ = 0;
  uint64_t untimed_ = 0;
  uint64_t malformed_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_CCFB_REPORT_READER_H_

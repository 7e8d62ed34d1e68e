#ifndef INTERCEPTOR_CCFB_REPORT_GENERATOR_H_
#define INTERCEPTOR_CCFB_REPORT_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/rtcp/ccfb.h"
#include "interceptor/twcc/arrival_log.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Feedback of RFC 8888 about the packets of a fixed number of streams: for each that something came
// of, everything between its last report and its newest packet. A stream that is silent takes no
// room. All memory is taken in the constructor. One thread.
class CongestionReportGenerator {
 public:
  // `sender` is whose feedback it is; `log_capacity` is valid for an ArrivalLog.
  CongestionReportGenerator(Ssrc sender, size_t max_streams, size_t log_capacity);

  // A place for a stream; nothing, and counted, when all are taken.
  std::optional<size_t> AddStream(Ssrc ssrc);
  // Its place is free, and what was not reported never is.
  void RemoveStream(size_t place);

  // `place` holds a stream.
  void Record(size_t place, SequenceNumber sequence, Timestamp arrived) {
    Stream& stream = *streams_[place];
    stream.log.Record(sequence.value(), arrived);
    urgent_ = urgent_ || stream.log.IsHalfFull();
  }

  // Writes the next report, with `timestamp` for `now` by the clock of our sender reports; there
  // may be more to say behind it. Its size, or 0 when there is nothing to say or `buffer` is too
  // small for anything.
  size_t WriteNext(Timestamp now, uint32_t timestamp, absl::Span<uint8_t> buffer);

  bool HasNews() const;
  // Feedback is due whatever its pace.
  bool IsUrgent() const { return urgent_; }
  // Since construction: streams there was no place for.
  uint64_t streams_refused() const { return streams_refused_; }

 private:
  struct Stream {
    explicit Stream(size_t log_capacity) : log(log_capacity) {}

    std::optional<Ssrc> ssrc;
    ArrivalLog log;
  };

  // Fills `metrics_` with what is to be said of a stream, as much as it takes.
  void Collect(const ArrivalLog& log, Timestamp now);

  const Ssrc sender_;
  std::vector<std::unique_ptr<Stream>> streams_;
  // Reserved in full.
  std::vector<CcfbMetric> metrics_;
  bool urgent_ = false;
  uint64_t streams_refused_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_CCFB_REPORT_GENERATOR_H_

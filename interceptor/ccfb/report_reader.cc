#include "interceptor/ccfb/report_reader.h"

#include <optional>

#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
// Units of a report's timestamp and of an arrival's offset before it (RFC 8888 section 3.1).
constexpr int64_t kClockPerSecond = 65536;
constexpr int64_t kOffsetsPerSecond = 1024;

}  // namespace

void CongestionReportReader::Read(const CcfbView& feedback, const SendLog& log,
                                  const SentIndex& index, ReportBuilder& builder) {
  const Timestamp reported =
      Timestamp::Micros(clock_.Unwrap(feedback.timestamp()) * kMicrosPerSecond / kClockPerSecond);
  const bool complete = feedback.ForEachStream([&](const CcfbStream& stream) {
    for (size_t i = 0; i < stream.metric_count(); ++i) {
      const SequenceNumber sequence(static_cast<uint16_t>(stream.begin().value() + i));
      const std::optional<int64_t> number = index.Find(stream.ssrc(), sequence, log.oldest());
      if (!number.has_value()) {
        ++unknown_;
        continue;
      }
      const CcfbMetric metric = stream.metric(i);
      if (!metric.received) {
        builder.AddMissing(*number, 1);
      } else if (metric.arrival_offset >= CcfbMetric::kOutOfRange) {
        // It is not lost, and more cannot be said.
        ++untimed_;
      } else {
        builder.AddArrival(*number,
                           reported - TimeDelta::Micros(metric.arrival_offset * kMicrosPerSecond /
                                                        kOffsetsPerSecond));
      }
    }
  });
  if (!complete) {
    ++malformed_;
  }
}

}  // namespace sluice

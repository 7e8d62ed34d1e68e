#include "interceptor/twcc/report_builder.h"

#include <algorithm>

#include "absl/types/span.h"
#include "base/data_size.h"

namespace sluice {

ReportBuilder::ReportBuilder(SendLog& log, size_t max_reports)
    : log_(log), max_reports_(max_reports) {
  reports_.reserve(max_reports);
}

void ReportBuilder::BeginBatch() {
  reports_.clear();
  begin_ = 0;
  lookups_ = 0;
}

void ReportBuilder::Add(int64_t sequence, Timestamp arrived) {
  if (lookups_ == kMaxLookups || reports_.size() == max_reports_) {
    ++passed_over_;
    return;
  }
  ++lookups_;
  PacketReport report = {
      .sequence = sequence,
      .size = DataSize::Zero(),
      .sent = arrived,
      .arrived = arrived,
      .probe_cluster = 0,
  };
  const OutcomeVerdict verdict = log_.Report(sequence, arrived, report);
  ++outcomes_[static_cast<size_t>(verdict)];
  if (verdict == OutcomeVerdict::kNews) {
    reports_.push_back(report);
  }
}

void ReportBuilder::AddArrival(int64_t sequence, Timestamp arrived) { Add(sequence, arrived); }

void ReportBuilder::AddMissing(int64_t first, int64_t count) {
  // Only what the log has: what was forgotten is of no interest, and counts on the wire may be
  // long.
  const int64_t begin = std::max(first, log_.oldest());
  const int64_t end = std::min(first + count, log_.next());
  for (int64_t i = begin; i < end; ++i) {
    Add(i, Timestamp::PlusInfinity());
  }
}

std::optional<FeedbackReport> ReportBuilder::EndDatagram(Timestamp received) {
  const absl::Span<PacketReport> packets = absl::MakeSpan(reports_).subspan(begin_);
  begin_ = reports_.size();
  if (packets.empty()) {
    return std::nullopt;
  }
  // A packet that was missing and came after all is in both ways, the first one first.
  const auto earlier = [](const PacketReport& a, const PacketReport& b) {
    return a.sequence != b.sequence ? a.sequence < b.sequence : a.arrived > b.arrived;
  };
  if (!std::is_sorted(packets.begin(), packets.end(), earlier)) {
    std::sort(packets.begin(), packets.end(), earlier);
  }
  return FeedbackReport{.received = received, .packets = packets};
}

}  // namespace sluice

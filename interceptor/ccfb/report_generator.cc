#include "interceptor/ccfb/report_generator.h"

namespace sluice {
namespace {

// Packets of one stream in one report: what a datagram of 1200 bytes has room for, and a little.
constexpr size_t kMaxMetrics = 600;

// Units of an arrival's offset (RFC 8888 section 3.1).
constexpr int64_t kOffsetsPerSecond = 1024;

// How long before `now`, to the nearest unit.
uint16_t OffsetOf(Timestamp now, int64_t arrived_us) {
  const int64_t us = now.us() - arrived_us;
  if (us <= 0) {
    return 0;
  }
  const int64_t offset = (us * kOffsetsPerSecond + 500'000) / 1'000'000;
  return offset < CcfbMetric::kOutOfRange ? static_cast<uint16_t>(offset) : CcfbMetric::kOutOfRange;
}

}  // namespace

CongestionReportGenerator::CongestionReportGenerator(Ssrc sender, size_t max_streams,
                                                     size_t log_capacity)
    : sender_(sender) {
  streams_.reserve(max_streams);
  for (size_t i = 0; i < max_streams; ++i) {
    streams_.push_back(std::make_unique<Stream>(log_capacity));
  }
  metrics_.reserve(kMaxMetrics);
}

std::optional<size_t> CongestionReportGenerator::AddStream(Ssrc ssrc) {
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (!streams_[i]->ssrc.has_value()) {
      streams_[i]->ssrc = ssrc;
      return i;
    }
  }
  ++streams_refused_;
  return std::nullopt;
}

void CongestionReportGenerator::RemoveStream(size_t place) {
  streams_[place]->ssrc.reset();
  streams_[place]->log.Clear();
}

bool CongestionReportGenerator::HasNews() const {
  for (const std::unique_ptr<Stream>& stream : streams_) {
    if (stream->log.HasNews()) {
      return true;
    }
  }
  return false;
}

void CongestionReportGenerator::Collect(const ArrivalLog& log, Timestamp now) {
  metrics_.clear();
  const int64_t end = log.end();
  for (int64_t i = log.first_unreported(); i < end && metrics_.size() < kMaxMetrics; ++i) {
    const int64_t us = log.arrival_us(i);
    CcfbMetric metric;
    if (us != ArrivalLog::kMissing) {
      metric.received = true;
      metric.arrival_offset = OffsetOf(now, us);
    }
    metrics_.push_back(metric);
  }
}

size_t CongestionReportGenerator::WriteNext(Timestamp now, uint32_t timestamp,
                                            absl::Span<uint8_t> buffer) {
  CcfbWriter writer(sender_, timestamp, buffer);
  bool wrote = false;
  bool full = false;
  for (const std::unique_ptr<Stream>& stream : streams_) {
    ArrivalLog& log = stream->log;
    if (!log.HasNews()) {
      continue;
    }
    Collect(log, now);
    const int64_t begin = log.first_unreported();
    const size_t written =
        writer.AddStream(*stream->ssrc, SequenceNumber(static_cast<uint16_t>(begin)), metrics_);
    if (written > 0) {
      wrote = true;
      log.MarkReported(begin + static_cast<int64_t>(written));
    }
    if (log.HasNews()) {
      full = true;
      break;
    }
  }
  urgent_ = full;
  return wrote ? writer.Finish() : 0;
}

}  // namespace sluice

#include "interceptor/twcc/feedback_generator.h"

namespace sluice {
namespace {

// Arrivals that one packet of ours may report: what 20 000 packets a second make in 25 ms, and in a
// datagram of 1200 bytes all but the luckiest thousand.
constexpr size_t kMaxArrivals = 512;

}  // namespace

FeedbackGenerator::FeedbackGenerator(Ssrc sender, size_t log_capacity)
    : log_(log_capacity), header_{.sender = sender} {
  arrivals_.reserve(kMaxArrivals);
}

size_t FeedbackGenerator::WriteNext(absl::Span<uint8_t> buffer) {
  const int64_t begin = log_.first_unreported();
  const int64_t end = log_.end();
  arrivals_.clear();
  for (int64_t i = begin; i < end && arrivals_.size() < kMaxArrivals; ++i) {
    const int64_t us = log_.arrival_us(i);
    if (us != ArrivalLog::kMissing) {
      arrivals_.push_back({i, Timestamp::Micros(us)});
    }
  }
  if (arrivals_.empty()) {
    return 0;
  }
  size_t written = 0;
  size_t size = WriteTransportFeedback(header_, begin, arrivals_, buffer, written);
  if (size == 0) {
    // No room for the gap in front of the first one: it is then not told.
    size = WriteTransportFeedback(header_, arrivals_[0].sequence, arrivals_, buffer, written);
    if (size == 0) {
      return 0;
    }
  }
  log_.MarkReported(arrivals_[written - 1].sequence + 1);
  ++header_.feedback_count;
  return size;
}

}  // namespace sluice

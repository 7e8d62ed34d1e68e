#include "interceptor/report/sent_reports.h"

#include <algorithm>

#include "interceptor/report/ntp_time.h"

namespace sluice {

void SentReports::Add(uint32_t compact_ntp, Timestamp sent) {
  reports_[next_] = {.compact_ntp = compact_ntp, .sent = sent};
  next_ = (next_ + 1) % kCapacity;
  size_ = std::min(size_ + 1, kCapacity);
}

std::optional<TimeDelta> SentReports::RoundTrip(Timestamp now, uint32_t compact_ntp,
                                                uint32_t delay) const {
  // 0 says that none came yet (RFC 3550 section 6.4.1).
  if (compact_ntp == 0) {
    return std::nullopt;
  }
  for (size_t i = 0; i < size_; ++i) {
    if (reports_[i].compact_ntp != compact_ntp) {
      continue;
    }
    const TimeDelta round_trip = now - reports_[i].sent - FromCompactDelay(delay);
    if (round_trip < -kTolerance) {
      return std::nullopt;
    }
    return std::max(round_trip, kShortest);
  }
  return std::nullopt;
}

}  // namespace sluice

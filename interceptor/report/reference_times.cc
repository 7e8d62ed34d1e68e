#include "interceptor/report/reference_times.h"

#include <algorithm>

#include "base/check.h"
#include "interceptor/report/ntp_time.h"

namespace sluice {

bool ReferenceTimes::Add(Ssrc ssrc, uint64_t ntp_time, Timestamp arrival) {
  Remove(ssrc);
  const bool full = size_ == kCapacity;
  if (full) {
    RemoveAt(0);
  }
  questions_[size_++] = {.ssrc = ssrc, .compact_ntp = CompactNtp(ntp_time), .arrival = arrival};
  return !full;
}

void ReferenceTimes::Remove(Ssrc ssrc) {
  for (size_t i = 0; i < size_; ++i) {
    if (questions_[i].ssrc == ssrc) {
      RemoveAt(i);
      return;
    }
  }
}

void ReferenceTimes::RemoveAt(size_t i) {
  std::copy(questions_.begin() + static_cast<ptrdiff_t>(i) + 1,
            questions_.begin() + static_cast<ptrdiff_t>(size_),
            questions_.begin() + static_cast<ptrdiff_t>(i));
  --size_;
}

size_t ReferenceTimes::TakeAnswers(Timestamp now, absl::Span<ReferenceTimeAnswer> answers) {
  SLUICE_DCHECK(answers.size() >= kCapacity);
  for (size_t i = 0; i < size_; ++i) {
    answers[i] = {.ssrc = questions_[i].ssrc,
                  .last_reference_time = questions_[i].compact_ntp,
                  .delay_since = ToCompactDelay(now - questions_[i].arrival)};
  }
  const size_t count = size_;
  size_ = 0;
  return count;
}

}  // namespace sluice

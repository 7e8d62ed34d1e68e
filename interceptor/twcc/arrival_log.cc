#include "interceptor/twcc/arrival_log.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {
namespace {

// A second far packet continues the first one when it is at most this far ahead of it: a burst of
// losses right behind a restart is no reason to wait longer.
constexpr uint16_t kMaxFarStep = 64;

}  // namespace

ArrivalLog::ArrivalLog(size_t capacity)
    : capacity_(static_cast<int64_t>(capacity)), arrivals_(std::make_unique<int64_t[]>(capacity)) {
  SLUICE_CHECK(IsValidCapacity(capacity)) << capacity;
  Clear();
}

void ArrivalLog::Clear() {
  std::fill_n(arrivals_.get(), capacity_, kMissing);
  empty_ = true;
  newest_ = -1;
  next_report_ = 0;
  far_.reset();
}

void ArrivalLog::Begin(int64_t sequence, Timestamp arrived) {
  std::fill_n(arrivals_.get(), capacity_, kMissing);
  empty_ = false;
  newest_ = sequence;
  next_report_ = sequence;
  arrivals_[Index(sequence)] = arrived.us();
}

void ArrivalLog::MoveOn(int64_t sequence, Timestamp arrived) {
  while (++newest_ < sequence) {
    arrivals_[Index(newest_)] = kMissing;
  }
  arrivals_[Index(newest_)] = arrived.us();
}

ArrivalVerdict ArrivalLog::RecordOther(uint16_t sequence, Timestamp arrived) {
  if (empty_) {
    Begin(sequence, arrived);
    return ArrivalVerdict::kRecorded;
  }
  const auto ahead = static_cast<uint16_t>(sequence - newest_);
  const auto behind = static_cast<uint16_t>(newest_ - sequence);
  // Exactly half of the numbers away is neither.
  if (ahead > 0 && ahead < capacity_ && ahead < 0x8000) {
    far_.reset();
    MoveOn(newest_ + ahead, arrived);
    return ArrivalVerdict::kRecorded;
  }
  if (behind >= capacity_) {
    return RecordFar(sequence, arrived);
  }
  far_.reset();
  const int64_t late = newest_ - behind;
  int64_t& slot = arrivals_[Index(late)];
  if (slot != kMissing) {
    ++duplicates_;
    return ArrivalVerdict::kDuplicate;
  }
  slot = arrived.us();
  next_report_ = std::min(next_report_, late);
  return ArrivalVerdict::kRecorded;
}

ArrivalVerdict ArrivalLog::RecordFar(uint16_t sequence, Timestamp arrived) {
  const std::optional<Far> before = far_;
  const auto step = before.has_value() ? static_cast<uint16_t>(sequence - before->sequence) : 0;
  if (step == 0 || step > kMaxFarStep) {
    ++far_count_;
    far_ = {sequence, arrived};
    return ArrivalVerdict::kFar;
  }
  ++restarts_;
  far_.reset();
  // Forward in any case: unwrapped numbers do not run backwards.
  const auto ahead = static_cast<uint16_t>(before->sequence - newest_);
  Begin(newest_ + ahead, before->arrived);
  MoveOn(newest_ + step, arrived);
  return ArrivalVerdict::kRecorded;
}

void ArrivalLog::MarkReported(int64_t next) {
  SLUICE_DCHECK(next <= end());
  const int64_t oldest = end() - capacity_;
  if (next_report_ < oldest) {
    overrun_ += static_cast<uint64_t>(oldest - next_report_);
  }
  next_report_ = next;
  if (next == end()) {
  }
}

}  // namespace sluice

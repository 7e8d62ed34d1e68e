#include "interceptor/nack/receive_log.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {
namespace {

// A second far packet continues the first one when it is at most this far ahead of it: losses right
// behind a restart are no reason to wait longer.
constexpr int64_t kMaxFarStep = 64;

}  // namespace

ReceiveLog::ReceiveLog(size_t window, size_t max_gap)
    : window_(static_cast<int64_t>(window)), max_gap_(static_cast<int64_t>(max_gap)) {
  SLUICE_CHECK(IsValidWindow(window)) << window;
  SLUICE_CHECK(max_gap >= 1 && max_gap < window) << max_gap;
  bits_ = std::make_unique<uint64_t[]>(window / kWordBits);
}

void ReceiveLog::Clear() {
  empty_ = true;
  newest_ = 0;
  far_.reset();
}

void ReceiveLog::Begin(int64_t sequence) {
  std::fill_n(bits_.get(), static_cast<size_t>(window_) / kWordBits, uint64_t{0});
  empty_ = false;
  newest_ = sequence;
  Set(sequence);
}

ReceiveRecord ReceiveLog::MoveOn(int64_t sequence) {
  const int64_t missing_from = newest_ + 1;
  while (++newest_ < sequence) {
    Unset(newest_);
  }
  Set(newest_);
  return {ReceiveVerdict::kNewest, newest_, missing_from};
}

std::optional<ReceiveRecord> ReceiveLog::RecordNear(uint16_t sequence) {
  if (empty_) {
    Begin(sequence);
    return ReceiveRecord{ReceiveVerdict::kNewest, sequence, sequence};
  }
  const auto ahead = static_cast<uint16_t>(sequence - newest_);
  if (ahead > 0 && ahead <= max_gap_ + 1) {
    return MoveOn(newest_ + ahead);
  }
  const auto behind = static_cast<uint16_t>(newest_ - sequence);
  if (behind >= window_) {
    return std::nullopt;
  }
  const int64_t late = newest_ - behind;
  if (IsSet(late)) {
    return ReceiveRecord{ReceiveVerdict::kDuplicate, late, late};
  }
  Set(late);
  return ReceiveRecord{ReceiveVerdict::kLate, late, late};
}

ReceiveRecord ReceiveLog::RecordOther(uint16_t sequence) {
  const std::optional<ReceiveRecord> record = RecordNear(sequence);
  if (!record.has_value()) {
    return RecordFar(sequence);
  }
  far_.reset();
  return *record;
}

ReceiveRecord ReceiveLog::RecordRepeated(uint16_t sequence) {
  return RecordNear(sequence).value_or(ReceiveRecord{ReceiveVerdict::kFar, 0, 0});
}

ReceiveRecord ReceiveLog::RecordFar(uint16_t sequence) {
  const std::optional<uint16_t> before = far_;
  const auto step = before.has_value() ? static_cast<uint16_t>(sequence - *before) : uint16_t{0};
  if (step == 0 || step > std::min(kMaxFarStep, max_gap_ + 1)) {
    far_ = sequence;
    return {ReceiveVerdict::kFar, 0, 0};
  }
  far_.reset();
  // Forward in any case: unwrapped numbers do not run backwards.
  const int64_t first = newest_ + static_cast<uint16_t>(*before - newest_);
  Begin(first);
  ReceiveRecord record = MoveOn(first + step);
  record.verdict = ReceiveVerdict::kRestarted;
  return record;
}

}  // namespace sluice

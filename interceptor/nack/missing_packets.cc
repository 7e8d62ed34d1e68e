#include "interceptor/nack/missing_packets.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {

MissingPackets::MissingPackets(size_t capacity, int max_attempts)
    : capacity_(capacity), max_attempts_(max_attempts) {
  SLUICE_CHECK(capacity >= 1 && capacity <= kMaxCapacity) << capacity;
  SLUICE_CHECK(max_attempts >= 1 && max_attempts <= kMaxAttempts) << max_attempts;
  missing_.reserve(capacity);
  due_.reserve(capacity);
}

size_t MissingPackets::Add(int64_t from, int64_t to, Timestamp due) {
  const auto count = static_cast<size_t>(to - from);
  SLUICE_DCHECK(count <= capacity_);
  SLUICE_DCHECK(missing_.empty() || missing_.back().sequence < from);
  if (count == 0) {
    return 0;
  }
  const size_t free = capacity_ - missing_.size();
  const size_t given_up = count > free ? count - free : 0;
  missing_.erase(missing_.begin(), missing_.begin() + static_cast<ptrdiff_t>(given_up));
  next_due_ = missing_.empty() ? due : std::min(next_due_, due);
  for (int64_t sequence = from; sequence < to; ++sequence) {
    missing_.push_back({sequence, due, 0});
  }
  return given_up;
}

std::optional<int> MissingPackets::Remove(int64_t sequence) {
  const auto found =
      std::lower_bound(missing_.begin(), missing_.end(), sequence,
                       [](const Missing& m, int64_t number) { return m.sequence < number; });
  if (found == missing_.end() || found->sequence != sequence) {
    return std::nullopt;
  }
  const int attempts = found->attempts;
  missing_.erase(found);
  return attempts;
}

size_t MissingPackets::GiveUp(Timestamp now, int64_t oldest) {
  const auto end = std::remove_if(missing_.begin(), missing_.end(), [&](const Missing& m) {
    return m.sequence < oldest || (m.due <= now && m.attempts >= max_attempts_);
  });
  const auto given_up = static_cast<size_t>(missing_.end() - end);
  missing_.erase(end, missing_.end());
  return given_up;
}

absl::Span<const SequenceNumber> MissingPackets::Due(Timestamp now) {
  due_.clear();
  if (next_due() > now) {
    return due_;
  }
  for (const Missing& m : missing_) {
    if (m.due <= now) {
      due_.push_back(SequenceNumber(static_cast<uint16_t>(m.sequence)));
    }
  }
  return due_;
}

void MissingPackets::MarkAsked(Timestamp now, size_t count, Timestamp again, Timestamp later) {
  next_due_ = Timestamp::PlusInfinity();
  for (Missing& m : missing_) {
    if (m.due <= now && count > 0) {
      --count;
      ++m.attempts;
      m.due = again;
    } else if (m.due <= now) {
      m.due = later;
    }
    next_due_ = std::min(next_due_, m.due);
  }
}

}  // namespace sluice

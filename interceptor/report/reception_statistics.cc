#include "interceptor/report/reception_statistics.h"

#include <algorithm>

#include "interceptor/rtcp/report_block.h"

namespace sluice {

ReceptionVerdict ReceptionStatistics::Record(SequenceNumber sequence) {
  const bool first = !started();
  const int64_t highest = sequence_.highest();
  switch (sequence_.Record(sequence)) {
    case SequenceStep::kForward:
      if (first) {
        Begin();
        return ReceptionVerdict::kNewest;
      }
      ClearBetween(highest + 1, sequence_.last());
      TestAndSet(sequence_.last());
      ++received_;
      return ReceptionVerdict::kNewest;
    case SequenceStep::kBack:
      ++received_;
      // In front of the very first number there is none below 0, but its bit is as good.
      if (TestAndSet(sequence_.last())) {
        ++duplicates_;
        return ReceptionVerdict::kDuplicate;
      }
      ++late_;
      return ReceptionVerdict::kLate;
    case SequenceStep::kFar:
      return ReceptionVerdict::kFar;
    case SequenceStep::kRestart:
      break;
  }
  expected_before_ += static_cast<uint64_t>(highest - base_ + 1);
  ++restarts_;
  Begin();
  return ReceptionVerdict::kRestarted;
}

void ReceptionStatistics::Begin() {
  base_ = sequence_.last();
  window_.fill(0);
  TestAndSet(base_);
  ++received_;
}

bool ReceptionStatistics::TestAndSet(int64_t extended) {
  // Two's complement: also right for numbers below 0.
  const auto at = static_cast<uint64_t>(extended) % kWindow;
  uint64_t& word = window_[at / kWordBits];
  const uint64_t bit = uint64_t{1} << (at % kWordBits);
  const bool was_set = (word & bit) != 0;
  word |= bit;
  return was_set;
}

void ReceptionStatistics::ClearBetween(int64_t from, int64_t to) {
  if (to - from >= kWindow) {
    window_.fill(0);
    return;
  }
  for (int64_t n = from; n <= to; ++n) {
    const auto at = static_cast<uint64_t>(n) % kWindow;
    window_[at / kWordBits] &= ~(uint64_t{1} << (at % kWordBits));
  }
}

int32_t ReceptionStatistics::cumulative_lost() const {
  return static_cast<int32_t>(std::clamp<int64_t>(lost(), kMinCumulativeLost, kMaxCumulativeLost));
}

uint8_t ReceptionStatistics::EndInterval() {
  const uint64_t all_expected = expected();
  const auto expected = static_cast<int64_t>(all_expected - expected_prior_);
  const auto received = static_cast<int64_t>(received_ - received_prior_);
  expected_prior_ = all_expected;
  received_prior_ = received_;
  const int64_t lost = expected - received;
  if (expected <= 0 || lost <= 0) {
    return 0;
  }
  // 256/256 has no byte; nearly all is what can be said.
  return static_cast<uint8_t>(std::min<int64_t>(lost * 256 / expected, 255));
}

}  // namespace sluice

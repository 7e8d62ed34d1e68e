#include "interceptor/report/reception_statistics.h"

#include <algorithm>

#include "interceptor/rtcp/report_block.h"

namespace sluice {
namespace {

constexpr int64_t kCycle = 0x10000;

}  // namespace

ReceptionVerdict ReceptionStatistics::Record(SequenceNumber sequence) {
  if (!started_) {
    started_ = true;
    Begin(sequence.value());
    return ReceptionVerdict::kNewest;
  }
  const auto forward = static_cast<uint16_t>(sequence.value() - static_cast<uint16_t>(highest_));
  if (forward != 0 && forward < kMaxDropout) {
    const int64_t extended = highest_ + forward;
    ClearBetween(highest_ + 1, extended);
    highest_ = extended;
    TestAndSet(extended);
    ++received_;
    return ReceptionVerdict::kNewest;
  }
  const auto backward = static_cast<uint16_t>(-forward);
  if (backward < kMaxMisorder) {
    ++received_;
    // In front of the very first number there is none below 0, but its bit is as good.
    if (TestAndSet(highest_ - backward)) {
      ++duplicates_;
      return ReceptionVerdict::kDuplicate;
    }
    ++late_;
    return ReceptionVerdict::kLate;
  }
  if (sequence.value() != bad_sequence_) {
    bad_sequence_ = (sequence.value() + 1u) & 0xFFFF;
    return ReceptionVerdict::kFar;
  }
  expected_before_ += ExpectedSinceBase();
  ++restarts_;
  // The extended number goes on growing, or the peer would think that packets were unsent.
  int64_t extended = highest_ / kCycle * kCycle + sequence.value();
  if (extended <= highest_) {
    extended += kCycle;
  }
  Begin(extended);
  return ReceptionVerdict::kRestarted;
}

void ReceptionStatistics::Begin(int64_t extended) {
  base_ = extended;
  highest_ = extended;
  bad_sequence_ = kNoBadSequence;
  window_.fill(0);
  TestAndSet(extended);
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

#include "interceptor/report/source_sequence.h"

namespace sluice {
namespace {

constexpr int64_t kCycle = 0x10000;

}  // namespace

SequenceStep SourceSequence::Record(SequenceNumber sequence) {
  if (!started_) {
    started_ = true;
    highest_ = last_ = sequence.value();
    return SequenceStep::kForward;
  }
  const auto forward = static_cast<uint16_t>(sequence.value() - static_cast<uint16_t>(highest_));
  if (forward != 0 && forward < kMaxDropout) {
    highest_ = last_ = highest_ + forward;
    return SequenceStep::kForward;
  }
  const auto backward = static_cast<uint16_t>(-forward);
  if (backward < kMaxMisorder) {
    last_ = highest_ - backward;
    return SequenceStep::kBack;
  }
  if (sequence.value() != believed_next_) {
    believed_next_ = (sequence.value() + 1u) & 0xFFFF;
    return SequenceStep::kFar;
  }
  last_ = highest_ / kCycle * kCycle + sequence.value();
  if (last_ <= highest_) {
    last_ += kCycle;
  }
  highest_ = last_;
  believed_next_ = kNobody;
  return SequenceStep::kRestart;
}

}  // namespace sluice

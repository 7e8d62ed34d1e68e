#include "interceptor/nack/retransmission_budget.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {

RetransmissionBudget::RetransmissionBudget(const RetransmissionBudgetOptions& options)
    : options_(options), limit_(options.burst.bytes() * kScale), saved_(limit_) {
  SLUICE_CHECK(IsValid(options));
}

bool RetransmissionBudget::Allows(Timestamp now, DataSize size) {
  if (earned_until_.IsFinite()) {
    const DataSize earned = options_.minimum * (now - earned_until_);
    // Not more than what the limit would cut off anyway: the product cannot overflow.
    saved_ = std::min(limit_, saved_ + std::min(earned, options_.burst).bytes() * kScale);
    if (earned.IsZero()) {
      // Too short a time to earn a byte: it counts together with what follows.
      return saved_ >= size.bytes() * kScale;
    }
  }
  earned_until_ = now;
  return saved_ >= size.bytes() * kScale;
}

}  // namespace sluice

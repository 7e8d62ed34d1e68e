#include "interceptor/red/arrival_window.h"

namespace sluice {

void ArrivalWindow::Begin(SequenceNumber sequence) {
  newest_ = first_ = sequence.value();
  last_old_.reset();
  bits_ = {};
  Word(*newest_) |= Bit(*newest_);
}

ArrivalWindowVerdict ArrivalWindow::Note(SequenceNumber sequence) {
  if (!newest_.has_value()) {
    Begin(sequence);
    return ArrivalWindowVerdict::kNew;
  }
  const int64_t number = Unwrap(sequence);
  if (number <= *newest_ - kSize) {
    if (last_old_.has_value() && static_cast<uint16_t>(*last_old_ + 1) == sequence.value()) {
      Begin(sequence);
      return ArrivalWindowVerdict::kNew;
    }
    last_old_ = sequence.value();
    return ArrivalWindowVerdict::kOld;
  }
  last_old_.reset();
  if (number > *newest_) {
    if (number - *newest_ >= kSize) {
      bits_ = {};
    } else {
      for (int64_t passed = *newest_ + 1; passed < number; ++passed) {
        Word(passed) &= ~Bit(passed);
      }
    }
    newest_ = number;
  } else if (Has(number)) {
    return ArrivalWindowVerdict::kDuplicate;
  }
  Word(number) |= Bit(number);
  return ArrivalWindowVerdict::kNew;
}

bool ArrivalWindow::Misses(SequenceNumber sequence) const {
  if (!newest_.has_value()) {
    return false;
  }
  const int64_t number = Unwrap(sequence);
  return number < *newest_ && number > *newest_ - kSize && number > first_ && !Has(number);
}

}  // namespace sluice

#include "srtp/replay_window.h"

#include <algorithm>

namespace sluice {

ReplayWindow::ReplayWindow(absl::Span<uint64_t> words)
    : words_(words.data()), mask_(static_cast<uint32_t>(words.size() * 64 - 1)) {
  SLUICE_CHECK(IsValidSize(words.size() * 64));
  Clear();
}

void ReplayWindow::Clear() {
  std::fill_n(words_, WordCount(size()), uint64_t{0});
  highest_ = 0;
  any_ = false;
}

void ReplayWindow::AssumeAccepted(uint64_t highest) {
  std::fill_n(words_, WordCount(size()), ~uint64_t{0});
  highest_ = highest;
  any_ = true;
}

bool ReplayWindow::Restore(uint64_t highest, absl::Span<const uint64_t> words) {
  if (words.size() != WordCount(size())) {
    return false;
  }
  std::copy(words.begin(), words.end(), words_);
  highest_ = highest;
  any_ = true;
  words_[(highest & mask_) / 64] |= BitOf(highest);
  return true;
}

void ReplayWindow::Forget(uint64_t next) {
  const uint64_t between = next - highest_ - 1;
  if (between >= mask_) {
    std::fill_n(words_, WordCount(size()), uint64_t{0});
  } else {
    ClearBits(highest_ + 1, static_cast<uint32_t>(between));
  }
}

void ReplayWindow::ClearBits(uint64_t first, uint32_t count) {
  uint32_t at = static_cast<uint32_t>(first & mask_);
  while (count > 0) {
    const uint32_t bit = at % 64;
    const uint32_t in_word = std::min(64 - bit, count);
    words_[at / 64] &= ~((~uint64_t{0} >> (64 - in_word)) << bit);
    at = (at + in_word) & mask_;
    count -= in_word;
  }
}

}  // namespace sluice

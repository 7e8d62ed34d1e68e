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

bool ReplayWindow::Accept(ReplayToken token) {
  if (!token.fresh() || Judge(token.index_) != ReplayVerdict::kFresh) {
    return false;
  }
  if (!any_ || token.index_ > highest_) {
    MoveTo(token.index_);
  }
  words_[(token.index_ & mask_) / 64] |= BitOf(token.index_);
  return true;
}

void ReplayWindow::MoveTo(uint64_t index) {
  // An empty window has nothing to forget.
  if (any_) {
    const uint64_t distance = index - highest_;
    if (distance > mask_) {
      std::fill_n(words_, WordCount(size()), uint64_t{0});
    } else {
      // What is seen at these places are the indices one window earlier.
      ClearBits(highest_ + 1, static_cast<uint32_t>(distance));
    }
  }
  highest_ = index;
  any_ = true;
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

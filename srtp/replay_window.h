#ifndef SRTP_REPLAY_WINDOW_H_
#define SRTP_REPLAY_WINDOW_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/check.h"

namespace sluice {

enum class ReplayVerdict : uint8_t {
  kFresh,
  // Inside the window and accepted before.
  kReplayed,
  // Left of the window, where nothing is known any more.
  kTooOld,
};

// What ReplayWindow::Check found, to be handed back to Accept once the packet authenticated.
class ReplayToken {
 public:
  ReplayVerdict verdict() const { return verdict_; }
  bool fresh() const { return verdict_ == ReplayVerdict::kFresh; }

 private:
  friend class ReplayWindow;
  ReplayToken(uint64_t index, ReplayVerdict verdict) : index_(index), verdict_(verdict) {}

  uint64_t index_;
  ReplayVerdict verdict_;
};

// Which indices of one SSRC and direction were accepted (RFC 3711 section 3.3.2): a sliding window
// of bits, its right edge at the highest index accepted. Serves packet indices and SRTCP indices
// alike. The bits are the caller's, so that a table can keep those of all its streams in one block;
// 24 bytes besides. Nothing here allocates.
class ReplayWindow {
 public:
  // RFC 3711 section 3.3.2 demands 64. From 2^15 on a sequence number could be taken for one of the
  // next rollover (section 3.3.1).
  static constexpr size_t kMinSize = 64;
  static constexpr size_t kMaxSize = 32768;

  // A power of two in kMinSize..kMaxSize.
  static constexpr bool IsValidSize(size_t size) {
    return size >= kMinSize && size <= kMaxSize && (size & (size - 1)) == 0;
  }
  // Words of storage for a window of `size` indices.
  static constexpr size_t WordCount(size_t size) { return size / 64; }

  // An empty window of 64 * words.size() indices, which must be a valid size. `words` is used by
  // this window alone and outlives it; its content is cleared.
  explicit ReplayWindow(absl::Span<uint64_t> words);

  // The window goes on in the new object, on the same words; the old one may only be destroyed.
  ReplayWindow(ReplayWindow&&) = default;
  ReplayWindow& operator=(ReplayWindow&&) = default;
  ReplayWindow(const ReplayWindow&) = delete;
  ReplayWindow& operator=(const ReplayWindow&) = delete;

  // Changes nothing, so it may be asked of bytes that are not authenticated.
  ReplayToken Check(uint64_t index) const { return ReplayToken(index, Judge(index)); }

  // Records the token's index if it was fresh and still is: other tokens may have been accepted
  // between, in any order. Only for authenticated packets (RFC 3711 section 3.3 step 7).
  [[nodiscard]] bool Accept(ReplayToken token);

  // Forgets all, for the next stream of a table.
  void Clear();

  // Everything up to `highest` counts as accepted: what is known of a stream that was forgotten but
  // for its highest index, or that goes on after a restart.
  void AssumeAccepted(uint64_t highest);
  // The bits, to be put back by Restore into a window of the same size. Their order is private.
  absl::Span<const uint64_t> words() const { return {words_, WordCount(size())}; }
  // As a window was whose highest() and words() these are. False and no change when it was of
  // another size.
  [[nodiscard]] bool Restore(uint64_t highest, absl::Span<const uint64_t> words);

  size_t size() const { return size_t{mask_} + 1; }
  // Nothing was accepted yet; everything is fresh.
  bool empty() const { return !any_; }
  // Highest index accepted. Not when empty.
  uint64_t highest() const {
    SLUICE_DCHECK(any_);
    return highest_;
  }

 private:
  ReplayVerdict Judge(uint64_t index) const;
  // Forgets what falls out on the left when `next`, which is beyond highest_, becomes the highest:
  // the places between are those of indices one window earlier. Leaves the place of `next` itself.
  void Forget(uint64_t next);
  // Clears the bits of `first` and the indices after it, `count` < size() in all.
  void ClearBits(uint64_t first, uint32_t count);

  static uint64_t BitOf(uint64_t index) { return uint64_t{1} << (index % 64); }

  // The bit of an index is at index mod size: moving the window moves no bits.
  uint64_t* words_;
  uint64_t highest_ = 0;
  uint32_t mask_;
  bool any_ = false;
};

inline ReplayVerdict ReplayWindow::Judge(uint64_t index) const {
  if (!any_ || index > highest_) {
    return ReplayVerdict::kFresh;
  }
  if (highest_ - index > mask_) {
    return ReplayVerdict::kTooOld;
  }
  return (words_[(index & mask_) / 64] & BitOf(index)) == 0 ? ReplayVerdict::kFresh
                                                            : ReplayVerdict::kReplayed;
}

inline bool ReplayWindow::Accept(ReplayToken token) {
  const uint64_t index = token.index_;
  if (!token.fresh() || Judge(index) != ReplayVerdict::kFresh) {
    return false;
  }
  if (!any_ || index > highest_) {
    // In order, and in an empty window, there is nothing between.
    if (any_ && index - highest_ > 1) {
      Forget(index);
    }
    highest_ = index;
    any_ = true;
  }
  words_[(index & mask_) / 64] |= BitOf(index);
  return true;
}

}  // namespace sluice

#endif  // SRTP_REPLAY_WINDOW_H_

#ifndef INTERCEPTOR_RED_ARRIVAL_WINDOW_H_
#define INTERCEPTOR_RED_ARRIVAL_WINDOW_H_

#include <array>
#include <cstdint>
#include <optional>

#include "srtp/rtp_types.h"

namespace sluice {

enum class ArrivalWindowVerdict : uint8_t {
  // The first with its number, as far as the window reaches.
  kNew,
  kDuplicate,
  // Behind the window: nobody knows.
  kOld,
};

// Which of the last numbers of a stream came. Follows a source that begins anew: forward at once,
// backward when two in a row say so (RFC 3550 section A.1).
class ArrivalWindow {
 public:
  // Five seconds of audio.
  static constexpr int64_t kSize = 256;

  ArrivalWindowVerdict Note(SequenceNumber sequence);
  // It is in the window, not before the first packet that came, and did not come. What a stream had
  // before its first packet is not missing: to SRTP a number below it may be one of the future.
  bool Misses(SequenceNumber sequence) const;

 private:
  int64_t Unwrap(SequenceNumber sequence) const {
    return *newest_ + static_cast<int16_t>(sequence.value() - static_cast<uint16_t>(*newest_));
  }
  bool Has(int64_t sequence) const { return (Word(sequence) & Bit(sequence)) != 0; }
  static constexpr uint64_t Bit(int64_t sequence) {
    return uint64_t{1} << (static_cast<uint64_t>(sequence) % 64);
  }
  uint64_t Word(int64_t sequence) const {
    return bits_[static_cast<uint64_t>(sequence) % kSize / 64];
  }
  uint64_t& Word(int64_t sequence) { return bits_[static_cast<uint64_t>(sequence) % kSize / 64]; }
  void Begin(SequenceNumber sequence);

  std::optional<int64_t> newest_;
  int64_t first_ = 0;
  // The last number that was behind the window.
  std::optional<uint16_t> last_old_;
  std::array<uint64_t, kSize / 64> bits_ = {};
};

}  // namespace sluice

#endif  // INTERCEPTOR_RED_ARRIVAL_WINDOW_H_

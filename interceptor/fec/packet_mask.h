#ifndef INTERCEPTOR_FEC_PACKET_MASK_H_
#define INTERCEPTOR_FEC_PACKET_MASK_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace sluice {

// Which packets behind a base sequence number a parity packet is about: number i stands for base
// plus i, modulo 2^16.
class PacketMask {
 public:
  // The longest mask of FlexFEC has 15 + 31 + 63 bits
  // (draft-ietf-payload-flexible-fec-scheme-03 section 4.2).
  static constexpr size_t kMaxPackets = 109;

  // `i` < kMaxPackets everywhere.
  void Set(size_t i) { Word(i) |= Bit(i); }
  void Clear(size_t i) { Word(i) &= ~Bit(i); }
  bool Has(size_t i) const {
    SLUICE_DCHECK(i < kMaxPackets);
    return (words_[i / 64] & Bit(i)) != 0;
  }

  bool empty() const { return (words_[0] | words_[1]) == 0; }
  size_t count() const {
    return static_cast<size_t>(std::popcount(words_[0]) + std::popcount(words_[1]));
  }
  // The lowest and the highest that are set; the mask is not empty.
  size_t First() const {
    SLUICE_DCHECK(!empty());
    return static_cast<size_t>(words_[0] != 0 ? std::countr_zero(words_[0])
                                              : 64 + std::countr_zero(words_[1]));
  }
  size_t Last() const {
    SLUICE_DCHECK(!empty());
    return static_cast<size_t>(words_[1] != 0 ? 127 - std::countl_zero(words_[1])
                                              : 63 - std::countl_zero(words_[0]));
  }

  // Calls `f(size_t i)` for each that is set, in order. `f` may change this mask: what is visited
  // is what was set at the beginning.
  template <typename F>
  void ForEach(F&& f) const {
    for (PacketMask rest = *this; !rest.empty();) {
      const size_t i = rest.First();
      rest.Clear(i);
      f(i);
    }
  }

  friend bool operator==(const PacketMask& a, const PacketMask& b) = default;

 private:
  static constexpr uint64_t Bit(size_t i) { return uint64_t{1} << (i % 64); }
  uint64_t& Word(size_t i) {
    SLUICE_DCHECK(i < kMaxPackets);
    return words_[i / 64];
  }

  uint64_t words_[2] = {0, 0};
};

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_PACKET_MASK_H_

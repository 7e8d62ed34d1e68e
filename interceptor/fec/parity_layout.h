#ifndef INTERCEPTOR_FEC_PARITY_LAYOUT_H_
#define INTERCEPTOR_FEC_PARITY_LAYOUT_H_

#include <cstddef>

#include "interceptor/fec/packet_mask.h"

namespace sluice {

// How parity is laid over a block of rows * columns packets, in the order of their numbers, row by
// row (RFC 8627 section 1.1). Parity of a row restores one packet of it; parity of a column one of
// packets that are `columns` apart, and so all of a burst of that many; both together more than
// either, as one restores what the other needs.
struct ParityLayout {
  // One parity packet for ten: losses of a few percent, one at a time.
  size_t columns = 10;
  size_t rows = 1;
  bool row_parity = true;
  // Asks for two rows at least: parity of one packet is that packet again.
  bool column_parity = false;

  constexpr size_t packets() const { return rows * columns; }
  constexpr size_t parities() const {
    return (row_parity ? rows : 0) + (column_parity ? columns : 0);
  }
  // There is parity, and a mask reaches over the block.
  constexpr bool IsValid() const {
    return columns >= 1 && columns <= PacketMask::kMaxPackets && rows >= 1 &&
           rows <= PacketMask::kMaxPackets && packets() <= PacketMask::kMaxPackets &&
           (row_parity || column_parity) && (!column_parity || rows >= 2);
  }
};

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_PARITY_LAYOUT_H_

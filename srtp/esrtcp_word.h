#ifndef SRTP_ESRTCP_WORD_H_
#define SRTP_ESRTCP_WORD_H_

#include <cstddef>
#include <cstdint>

#include "srtp/rtp_types.h"

namespace sluice {

inline constexpr size_t kEsrtcpWordSize = 4;

// The word that SRTCP adds to a packet: whether it is encrypted, and its index (RFC 3711
// section 3.4; the name is of RFC 7714 section 17).
struct EsrtcpWord {
  bool encrypted;
  SrtcpIndex index;

  static constexpr EsrtcpWord FromWire(uint32_t wire) {
    return {(wire & kFlag) != 0, SrtcpIndex(wire & ~kFlag)};
  }
  constexpr uint32_t ToWire() const { return (encrypted ? kFlag : 0) | index.value(); }

  static constexpr uint32_t kFlag = uint32_t{1} << 31;
};

}  // namespace sluice

#endif  // SRTP_ESRTCP_WORD_H_

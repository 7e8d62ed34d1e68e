#ifndef SRTP_ESRTCP_WORD_H_
#define SRTP_ESRTCP_WORD_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/cipher_suite.h"
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

// Where the word begins in a protected packet of `size` bytes: in front of the tag in RFC 3711
// section 3.4, behind it in RFC 7714 section 9.2.
constexpr size_t EsrtcpWordOffset(const CipherSuite& suite, size_t size) {
  return size - kEsrtcpWordSize - (suite.aead() ? 0 : suite.rtcp_tag_size);
}

// The word of a protected packet, which must have one. Not authenticated by being read.
inline EsrtcpWord ReadEsrtcpWord(const CipherSuite& suite, absl::Span<const uint8_t> packet) {
  SLUICE_DCHECK(packet.size() >= kEsrtcpWordSize + suite.rtcp_tag_size);
  return EsrtcpWord::FromWire(LoadBe32(packet.data() + EsrtcpWordOffset(suite, packet.size())));
}

}  // namespace sluice

#endif  // SRTP_ESRTCP_WORD_H_

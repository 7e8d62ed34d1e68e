#ifndef SRTP_PACKET_LAYOUT_H_
#define SRTP_PACKET_LAYOUT_H_

#include <cstddef>

#include "srtp/cipher_suite.h"
#include "srtp/esrtcp_word.h"
#include "srtp/packet_kind.h"

namespace sluice {

// What stands behind the payload of a protected packet, of a profile and a size of MKI:
//
//          HMAC-SHA1 (RFC 3711 sections 3.1, 3.4)   AES-GCM (RFC 7714 sections 8.2, 9.2)
//   SRTP   header | payload | MKI | tag             header | payload | tag | MKI
//   SRTCP  8 bytes | payload | word | MKI | tag     8 bytes | payload | tag | word | MKI
//
// All in bytes. The offsets are those of a part's first byte, counted backwards from the end of the
// packet: a part begins at `packet.size() - x_from_end`, once the packet has that many bytes.
struct PacketLayout {
  // How much longer a packet becomes.
  size_t overhead;
  size_t tag_size;
  size_t tag_from_end;
  // May be 0.
  size_t mki_size;
  size_t mki_from_end;
  // 0 in SRTP, which has no ESRTCP word.
  size_t word_size;
  size_t word_from_end;
};

// `mki_size` is that of every MKI of the session (RFC 3711 section 8.2); 0 for none.
constexpr PacketLayout LayoutOf(const CipherSuite& suite, PacketKind kind, size_t mki_size) {
  PacketLayout layout{};
  layout.tag_size = kind == PacketKind::kRtp ? suite.rtp_tag_size : suite.rtcp_tag_size;
  layout.mki_size = mki_size;
  layout.word_size = kind == PacketKind::kRtp ? 0 : kEsrtcpWordSize;
  layout.overhead = layout.tag_size + layout.mki_size + layout.word_size;
  if (suite.aead()) {
    layout.mki_from_end = layout.mki_size;
    layout.word_from_end = layout.word_size + layout.mki_from_end;
    layout.tag_from_end = layout.tag_size + layout.word_from_end;
  } else {
    layout.tag_from_end = layout.tag_size;
    layout.mki_from_end = layout.mki_size + layout.tag_from_end;
    layout.word_from_end = layout.word_size + layout.mki_from_end;
  }
  return layout;
}

}  // namespace sluice

#endif  // SRTP_PACKET_LAYOUT_H_

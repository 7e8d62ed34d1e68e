#ifndef SRTP_RTP_SHAPE_H_
#define SRTP_RTP_SHAPE_H_

#include <cstddef>

#include "srtp/rtp_packet_view.h"

namespace sluice {

// Which bytes of an RTP packet are encrypted: what follows the header (RFC 3711 section 3.1), or
// with cryptex also CSRCs and extension data (RFC 9335 section 5).
struct RtpShape {
  // All in front of the payload, extension included.
  size_t header_size;
  size_t csrc_count;
  // The packet has an extension then.
  bool cryptex;

  // While a cryptex packet is encrypted its extension's header stands right behind the fixed
  // header: what stays readable, and what is encrypted, is then in one piece.
  size_t clear_size() const {
    return cryptex ? kRtpFixedHeaderSize + kRtpExtensionHeaderSize : header_size;
  }
};

}  // namespace sluice

#endif  // SRTP_RTP_SHAPE_H_

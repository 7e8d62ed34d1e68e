#ifndef GATEWAY_LEG_MEDIA_DESCRIPTION_H_
#define GATEWAY_LEG_MEDIA_DESCRIPTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What both ends of a leg agreed on about its media, as far as the gateway looks at it.

// One payload type.
struct PayloadDescription {
  PayloadType payload_type{0};
  // As in SDP "a=rtpmap", in any case of letters; may be empty.
  std::string encoding_name;
  // Hz, not 0.
  uint32_t clock_rate = 0;
  // Of the packets that "rtx" repeats (RFC 4588 section 8.1) or "red" wraps (RFC 2198).
  std::optional<PayloadType> associated = std::nullopt;
  StreamFeedback feedback = {};
};

// One header extension (RFC 8285 section 5).
struct HeaderExtension {
  uint8_t id = 0;
  std::string uri;

  friend bool operator==(const HeaderExtension&, const HeaderExtension&) = default;
};

// SSRCs of the peer that belong together (RFC 5576 section 4.2).
struct StreamGroup {
  Ssrc ssrc{0};
  std::optional<Ssrc> retransmission_ssrc;
  std::optional<Ssrc> repair_ssrc;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_MEDIA_DESCRIPTION_H_

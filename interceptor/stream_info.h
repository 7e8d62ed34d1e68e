#ifndef INTERCEPTOR_STREAM_INFO_H_
#define INTERCEPTOR_STREAM_INFO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/strong_int.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Seen from the leg whose chain it is: from the peer, or to the peer.
enum class PacketDirection : uint8_t { kIncoming, kOutgoing };

// The place of a stream among those of its direction, 0 .. ChainOptions::max_streams - 1: what an
// interceptor indexes its per-stream state with, so that none of them looks up an SSRC. A stream's
// media, retransmission and repair SSRCs share its place. Places are used again after a stream is
// removed.
using StreamSlot = StrongInt<struct StreamSlotTag, uint16_t>;
// The SSRC belongs to no stream that was added.
inline constexpr StreamSlot kNoStream(0xFFFF);

// Which of a stream's SSRCs a packet has.
enum class SsrcRole : uint8_t {
  kMedia,
  // RFC 4588 section 4: retransmissions have an SSRC of their own.
  kRetransmission,
  // RFC 8627 section 5.1: so has FlexFEC.
  kForwardErrorCorrection,
};

// What a payload type carries.
enum class PayloadRole : uint8_t {
  kMedia,
  // RFC 4588 section 8.1; `associated` is the payload type of the packets repeated ("apt").
  kRetransmission,
  // RFC 2198; `associated` is the payload type of the primary encoding.
  kRedundancy,
  // RFC 8627.
  kForwardErrorCorrection,
};

// What a format's payload looks like, as far as anybody here looks at it: to tell key frames.
enum class PayloadCodec : uint8_t {
  // Any other, or not said.
  kOther,
  // RFC 7741.
  kVp8,
  // RFC 9628.
  kVp9,
  // RFC 6184.
  kH264,
  // RFC 7798.
  kH265,
  // "RTP Payload Format For AV1", version 1.0, of the Alliance for Open Media.
  kAv1,
};

struct PayloadFormat {
  PayloadType payload_type = PayloadType(0);
  PayloadRole role = PayloadRole::kMedia;
  // Hz, not 0.
  uint32_t clock_rate = 90000;
  // Meaningful for the roles that say so.
  PayloadType associated = PayloadType(0);
  // Of media.
  PayloadCodec codec = PayloadCodec::kOther;
};

// What was negotiated for a stream by "a=rtcp-fb" (RFC 4585 section 4.2) and alike.
struct StreamFeedback {
  // "nack": RFC 4585 section 6.2.1.
  bool nack = false;
  // "nack pli": RFC 4585 section 6.3.1.
  bool picture_loss_indication = false;
  // "ccm fir": RFC 5104 section 4.3.1.
  bool full_intra_request = false;
  // "goog-remb".
  bool receiver_estimate = false;
  // "transport-cc".
  bool transport_wide = false;
  // "ack ccfb": RFC 8888 section 6.
  bool congestion_control = false;
};

// Ids of header extensions (RFC 8285 section 5), 1..14 or 1..255 by form; 0 is "not negotiated".
struct StreamExtensions {
  uint8_t transport_sequence = 0;
  uint8_t absolute_send_time = 0;
  // RFC 6464.
  uint8_t audio_level = 0;
  // RFC 9143 section 15.
  uint8_t mid = 0;
  // RFC 8852 sections 3.1 and 3.2.
  uint8_t rtp_stream_id = 0;
  uint8_t repaired_rtp_stream_id = 0;
};

// Payload types of one stream. Codecs, their retransmissions, telephone events and redundancy of an
// m-line rarely come to ten; the rest of a longer list is refused where the leg is set up.
inline constexpr size_t kMaxStreamFormats = 16;

// One stream as signalled: what interceptors are told when it is added. A value; no pointers.
struct StreamInfo {
  Ssrc ssrc = Ssrc(0);
  std::optional<Ssrc> retransmission_ssrc;
  std::optional<Ssrc> repair_ssrc;

  // The first `format_count` are set.
  std::array<PayloadFormat, kMaxStreamFormats> formats;
  size_t format_count = 0;

  StreamFeedback feedback;
  StreamExtensions extensions;
  // Key frames make sense.
  bool video = false;

  // False, and no change, when there is no room for it.
  [[nodiscard]] bool AddFormat(const PayloadFormat& format) {
    if (format_count == kMaxStreamFormats) {
      return false;
    }
    formats[format_count++] = format;
    return true;
  }
  // Null when the payload type was not negotiated. Lives as long as this.
  const PayloadFormat* FindFormat(PayloadType payload_type) const {
    for (size_t i = 0; i < format_count; ++i) {
      if (formats[i].payload_type == payload_type) {
        return &formats[i];
      }
    }
    return nullptr;
  }
  // The retransmission format for packets of `payload_type`; null when there is none.
  const PayloadFormat* FindRetransmissionOf(PayloadType payload_type) const {
    for (size_t i = 0; i < format_count; ++i) {
      if (formats[i].role == PayloadRole::kRetransmission &&
          formats[i].associated == payload_type) {
        return &formats[i];
      }
    }
    return nullptr;
  }
};

}  // namespace sluice

#endif  // INTERCEPTOR_STREAM_INFO_H_

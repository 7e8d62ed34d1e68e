#ifndef INTERCEPTOR_NACK_RTX_PACKET_H_
#define INTERCEPTOR_NACK_RTX_PACKET_H_

#include <cstddef>
#include <optional>

#include "interceptor/intercepted_packet.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"

namespace sluice {

// The original sequence number in front of a retransmission's payload (RFC 4588 section 4).
inline constexpr size_t kOriginalSequenceSize = 2;

// Where a packet of a retransmission stream belongs: the three fields that differ from the packet
// it repeats or is repeated by.
struct RtxIdentity {
  Ssrc ssrc;
  PayloadType payload_type;
  SequenceNumber sequence;
};

// Writes into `to`, a fresh loan, the retransmission of `original`, with one copy of its payload:
// header with CSRCs, extensions, marker and timestamp as they are, the original sequence number,
// payload; padding is left out (RFC 4588 section 4). False when the slot has no room for it.
[[nodiscard]] bool WriteRetransmission(const RtpPacketView& original, const RtxIdentity& identity,
                                       PacketLoan& to);

// Which packet a retransmission repeats. Nothing when its payload is shorter than that number;
// padding does not count, a retransmission stream may have packets of nothing else.
std::optional<SequenceNumber> ReadOriginalSequence(const RtpPacketView& retransmission);

// Makes a retransmission, whose original sequence number could be read, the packet that it repeats,
// in its slot and without moving the payload. `packet`'s view is of the original then; its padding
// is that of the retransmission. False, and `packet` is to be taken, when that is no RTP packet.
[[nodiscard]] bool RestoreOriginal(const RtxIdentity& original, InterceptedRtp& packet);

}  // namespace sluice

#endif  // INTERCEPTOR_NACK_RTX_PACKET_H_

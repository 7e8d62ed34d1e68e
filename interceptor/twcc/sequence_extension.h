#ifndef INTERCEPTOR_TWCC_SEQUENCE_EXTENSION_H_
#define INTERCEPTOR_TWCC_SEQUENCE_EXTENSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "interceptor/packet_attributes.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {

// What became of a packet that was to be numbered.
enum class WriteSequenceVerdict : uint8_t {
  // The element was there and has the number now; the packet's lengths are as they were.
  kOverwritten,
  // The element was put in; the packet begins earlier and its view is stale.
  kInserted,
  // The packet's extension is not of RFC 8285, its form cannot name the id, or its element of that
  // id is not two bytes long. Nothing changed.
  kUnwritable,
  // No room in front of the packet, or none in the length of its extension. Nothing changed.
  kNoRoom,
};

// Gives a packet its transport-wide sequence number as extension `id`, 1..14 in the one-byte form
// and 1..255 in the two-byte form (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 2).
// A packet without extension gets one, in the shorter form that can name the id. `view` is of
// `packet`'s bytes.
[[nodiscard]] WriteSequenceVerdict WriteTransportSequence(PacketLoan& packet,
                                                          const RtpPacketView& view, uint8_t id,
                                                          TransportSequence sequence);

// The number in extension `id`; nothing when it is not there or not two bytes long.
std::optional<TransportSequence> ReadTransportSequence(const RtpPacketView& view, uint8_t id);

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_SEQUENCE_EXTENSION_H_

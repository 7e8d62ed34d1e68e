#ifndef INTERCEPTOR_TWCC_SEQUENCE_EXTENSION_H_
#define INTERCEPTOR_TWCC_SEQUENCE_EXTENSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"
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

inline constexpr size_t kTransportSequenceSize = 2;
// Largest id of the one-byte form (RFC 8285 section 4.2).
inline constexpr uint8_t kMaxOneByteId = 14;
// What an element of the one-byte form begins with: id, and length less one.
constexpr uint8_t TransportSequenceHead(uint8_t id) {
  return static_cast<uint8_t>(id << 4 | (kTransportSequenceSize - 1));
}

// Where the number begins in the packet if its element is the first one, in the one-byte form, as
// nearly always: nothing has to be walked through then. 0: it is elsewhere, or nowhere.
inline size_t TransportSequenceInFront(const RtpPacketView& view, uint8_t id) {
  const absl::Span<const uint8_t> data = view.extension_data();
  if (data.empty() || data[0] != TransportSequenceHead(id) || id > kMaxOneByteId ||
      view.extension_profile() != kOneByteExtensionProfile) {
    return 0;
  }
  return static_cast<size_t>(data.data() - view.bytes().data()) + 1;
}

// As WriteTransportSequence, wherever the number is.
[[nodiscard]] WriteSequenceVerdict WriteAnyTransportSequence(PacketLoan& packet,
                                                             const RtpPacketView& view, uint8_t id,
                                                             TransportSequence sequence);

// Gives a packet its transport-wide sequence number as extension `id`, 1..14 in the one-byte form
// and 1..255 in the two-byte form (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 2).
// A packet without extension gets one, in the shorter form that can name the id. `view` is of
// `packet`'s bytes.
[[nodiscard]] inline WriteSequenceVerdict WriteTransportSequence(PacketLoan& packet,
                                                                 const RtpPacketView& view,
                                                                 uint8_t id,
                                                                 TransportSequence sequence) {
  const size_t front = TransportSequenceInFront(view, id);
  if (front == 0) {
    return WriteAnyTransportSequence(packet, view, id, sequence);
  }
  StoreBe16(packet.bytes().data() + front, sequence.value());
  return WriteSequenceVerdict::kOverwritten;
}

// The number in extension `id`; nothing when it is not there or not two bytes long.
std::optional<TransportSequence> ReadTransportSequence(const RtpPacketView& view, uint8_t id);

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_SEQUENCE_EXTENSION_H_

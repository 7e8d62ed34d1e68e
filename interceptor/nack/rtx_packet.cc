#include "interceptor/nack/rtx_packet.h"

#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {
namespace {

constexpr uint8_t kPaddingBit = 0x20;
constexpr uint8_t kMarkerBit = 0x80;

// RFC 3550 section 5.1.
void WriteIdentity(const RtxIdentity& identity, absl::Span<uint8_t> packet) {
  packet[1] =
      static_cast<uint8_t>((packet[1] & kMarkerBit) | (identity.payload_type.value() & 0x7F));
  StoreBe16(&packet[2], identity.sequence.value());
  StoreBe32(&packet[8], identity.ssrc.value());
}

}  // namespace

bool WriteRetransmission(const RtpPacketView& original, const RtxIdentity& identity,
                         PacketLoan& to) {
  const absl::Span<const uint8_t> header = original.header();
  const absl::Span<const uint8_t> payload = original.payload_without_padding();
  // The two bytes more come out of the headroom: what is behind a packet belongs to SRTP.
  if (!to.Resize(header.size() + payload.size()) || !to.Prepend(kOriginalSequenceSize)) {
    return false;
  }
  const absl::Span<uint8_t> bytes = to.bytes();
  CopyBytes(bytes, header);
  StoreBe16(&bytes[header.size()], original.sequence_number().value());
  CopyBytes(bytes.subspan(header.size() + kOriginalSequenceSize), payload);
  // The bit goes with the bytes that it is about.
  bytes[0] &= static_cast<uint8_t>(~kPaddingBit);
  WriteIdentity(identity, bytes);
  return true;
}

std::optional<SequenceNumber> ReadOriginalSequence(const RtpPacketView& retransmission) {
  const absl::Span<const uint8_t> payload = retransmission.payload_without_padding();
  if (payload.size() < kOriginalSequenceSize) {
    return std::nullopt;
  }
  return SequenceNumber(LoadBe16(payload.data()));
}

bool RestoreOriginal(const RtxIdentity& original, InterceptedRtp& packet) {
  const size_t header_size = packet.view.header_size();
  const absl::Span<uint8_t> bytes = packet.packet->bytes();
  SLUICE_DCHECK(bytes.size() >= header_size + kOriginalSequenceSize);
  // The header moves over the number behind it.
  CopyBytes(bytes.subspan(kOriginalSequenceSize), bytes.first(header_size));
  if (!packet.packet->TrimFront(kOriginalSequenceSize)) {
    return false;
  }
  WriteIdentity(original, packet.packet->bytes());
  return packet.Reparse();
}

}  // namespace sluice

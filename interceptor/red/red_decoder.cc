#include "interceptor/red/red_decoder.h"

#include <cstddef>
#include <utility>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

constexpr uint8_t kMarkerBit = 0x80;
constexpr uint8_t kVersionBits = 0xC0;
constexpr uint8_t kCsrcCountBits = 0x0F;

void WritePayloadType(PayloadType payload_type, absl::Span<uint8_t> packet) {
  packet[1] = static_cast<uint8_t>((packet[1] & kMarkerBit) | payload_type.value());
}

}  // namespace

void RedDecoder::Begin(const StreamInfo& info) {
  active_ = true;
  info_ = info;
  window_ = {};
}

bool RedDecoder::IsDuplicate(SequenceNumber sequence, RedDecoderCounters& counters) {
  if (window_.Note(sequence) != ArrivalWindowVerdict::kDuplicate) {
    return false;
  }
  ++counters.duplicates;
  return true;
}

bool RedDecoder::IsMedia(PayloadType payload_type) const {
  const PayloadFormat* format = info_.FindFormat(payload_type);
  return format != nullptr && format->role == PayloadRole::kMedia;
}

RedDecoder::Verdict RedDecoder::Open(InterceptedRtp& packet, RedDecoderCounters& counters,
                                     InterceptorOutbox& out) {
  const SequenceNumber sequence = packet.view.sequence_number();
  const PayloadFormat* format = info_.FindFormat(packet.view.payload_type());
  if (format == nullptr || format->role != PayloadRole::kRedundancy) {
    return IsDuplicate(sequence, counters) ? Verdict::kDrop : Verdict::kPass;
  }
  const absl::Span<const uint8_t> payload = packet.view.payload_without_padding();
  RedPayload red;
  if (payload.empty()) {
    // Padding and nothing else has no header either. It stays a packet, so that its number is not
    // missed.
    red.primary_type = format->associated;
    red.primary = payload;
  } else if (!ReadRed(payload, red)) {
    ++counters.malformed;
    return Verdict::kDrop;
  } else if (!IsMedia(red.primary_type)) {
    ++counters.unknown_format;
    return Verdict::kDrop;
  }
  if (IsDuplicate(sequence, counters)) {
    return Verdict::kDrop;
  }
  ++counters.opened;
  for (size_t i = 0; i < red.count; ++i) {
    const SequenceNumber number(static_cast<uint16_t>(sequence.value() - (red.count - i)));
    if (window_.Misses(number) && !red.blocks[i].data.empty()) {
      Restore(packet.view, red.blocks[i], number, counters, out);
    }
  }
  // The header moves over what is in front of the primary encoding.
  const size_t skipped = payload.size() - red.primary.size();
  const absl::Span<uint8_t> bytes = packet.packet->bytes();
  CopyBytes(bytes.subspan(skipped), bytes.first(packet.view.header_size()));
  if (!packet.packet->TrimFront(skipped)) {
    return Verdict::kDrop;
  }
  WritePayloadType(red.primary_type, packet.packet->bytes());
  return packet.Reparse() ? Verdict::kPass : Verdict::kDrop;
}

void RedDecoder::Restore(const RtpPacketView& packet, const RedBlock& block,
                         SequenceNumber sequence, RedDecoderCounters& counters,
                         InterceptorOutbox& out) {
  if (block.timestamp_offset == 0 || !IsMedia(block.payload_type)) {
    ++counters.blocks_refused;
    return;
  }
  PacketLoan loan = out.packets().Lend();
  const size_t header_size = kRtpFixedHeaderSize + 4 * packet.csrc_count();
  if (!loan || !loan.Resize(header_size + block.data.size())) {
    ++counters.no_slot;
    return;
  }
  const absl::Span<uint8_t> bytes = loan.bytes();
  CopyBytes(bytes, packet.bytes().first(header_size));
  bytes[0] &= kVersionBits | kCsrcCountBits;
  bytes[1] = block.payload_type.value();
  StoreBe16(&bytes[2], sequence.value());
  StoreBe32(&bytes[4], packet.timestamp().value() - block.timestamp_offset);
  CopyBytes(bytes.subspan(header_size), block.data);
  if (!out.DeliverRtp(std::move(loan), PacketSource::kRecovered)) {
    ++counters.no_room;
    return;
  }
  // The packet itself would be a duplicate now.
  window_.Note(sequence);
  ++counters.restored;
}

}  // namespace sluice

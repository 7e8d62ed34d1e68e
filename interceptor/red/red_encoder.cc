#include "interceptor/red/red_encoder.h"

#include <algorithm>

#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

constexpr uint8_t kPaddingBit = 0x20;
constexpr uint8_t kMarkerBit = 0x80;
// A packet that is further behind is no late one: its source began anew.
constexpr int kMaxLateness = 100;

}  // namespace

void RedEncoder::Begin(PayloadType redundancy, PayloadType primary) {
  active_ = true;
  redundancy_ = redundancy;
  primary_ = primary;
  newest_.reset();
  for (Passed& passed : passed_) {
    passed.valid = false;
  }
}

void RedEncoder::Wrap(InterceptedRtp& packet, RedEncoderCounters& counters) {
  const RtpPacketView& view = packet.view;
  const size_t header_size = view.header_size();
  const size_t payload_size = view.payload_without_padding().size();
  if (view.payload_type() != primary_ || payload_size == 0) {
    ++counters.other_format;
    return;
  }
  const size_t plain_size = header_size + kRedPrimaryHeaderSize + payload_size;
  if (plain_size > kMaxDatagramSize) {
    ++counters.too_long;
    return;
  }
  Blocks room;
  const absl::Span<const RedBlock> blocks = FindBlocks(view, plain_size, room, counters);
  const size_t overhead = RedOverhead(blocks);
  const size_t size = header_size + overhead + payload_size;
  PacketLoan& loan = *packet.packet;
  // Padding may have been longer than what comes in.
  if (!loan.Resize(std::max(size, loan.size()))) {
    ++counters.too_long;
    return;
  }
  const absl::Span<uint8_t> bytes = loan.bytes();
  CopyBytes(bytes.subspan(header_size + overhead), bytes.subspan(header_size, payload_size));
  WriteRedOverhead(blocks, primary_, bytes.subspan(header_size, overhead));
  bytes[0] &= static_cast<uint8_t>(~kPaddingBit);
  bytes[1] = static_cast<uint8_t>((bytes[1] & kMarkerBit) | redundancy_.value());
  if (!loan.Resize(size) || !packet.Reparse()) {
    SLUICE_BUG(wrapped_packet_is_no_packet);
    return;
  }
  ++counters.wrapped;
  counters.blocks += blocks.size();
  Remember(packet.view.sequence_number(), packet.view.timestamp(),
           packet.view.payload().subspan(overhead), counters);
}

absl::Span<const RedBlock> RedEncoder::FindBlocks(const RtpPacketView& packet, size_t plain_size,
                                                  Blocks& blocks,
                                                  RedEncoderCounters& counters) const {
  size_t count = 0;
  size_t size = plain_size;
  while (count < options_.blocks) {
    const auto sequence = static_cast<uint16_t>(packet.sequence_number().value() - count - 1);
    const Passed& passed = passed_[sequence % kMaxBlocks];
    if (!passed.valid || passed.sequence != sequence) {
      break;
    }
    const uint32_t offset = packet.timestamp().value() - passed.timestamp;
    size += kRedBlockHeaderSize + passed.size;
    if (offset == 0 || offset > kMaxRedTimestampOffset || size > options_.max_packet_size) {
      ++counters.left_out;
      break;
    }
    ++count;
    blocks[kMaxBlocks - count] = {primary_, offset,
                                  absl::MakeConstSpan(passed.bytes).first(passed.size)};
  }
  return absl::MakeConstSpan(blocks).last(count);
}

void RedEncoder::Remember(SequenceNumber sequence, RtpTimestamp timestamp,
                          absl::Span<const uint8_t> payload, RedEncoderCounters& counters) {
  if (newest_.has_value()) {
    const int behind = -static_cast<int16_t>(sequence.value() - *newest_);
    // A late one would take the place of one that is repeated next.
    if (behind >= 0 && behind <= kMaxLateness) {
      return;
    }
  }
  newest_ = sequence.value();
  Passed& passed = passed_[sequence.value() % kMaxBlocks];
  passed.valid = payload.size() <= kMaxRedBlockSize;
  if (!passed.valid) {
    ++counters.not_repeatable;
    return;
  }
  passed.sequence = sequence.value();
  passed.timestamp = timestamp.value();
  passed.size = static_cast<uint16_t>(payload.size());
  CopyBytes(absl::MakeSpan(passed.bytes), payload);
}

}  // namespace sluice

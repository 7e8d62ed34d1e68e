#include "interceptor/fec/parity_encoder.h"

#include <utility>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {
namespace {

constexpr uint64_t kMicrosPerSecond = 1'000'000;
// A packet that is further behind its block is no late one: its source began anew.
constexpr int kMaxLateness = static_cast<int>(PacketMask::kMaxPackets);

}  // namespace

ParityEncoder::ParityEncoder(const ParityEncoderOptions& options)
    : options_(options), parities_(options.layout.parities()) {
  const ParityLayout& layout = options.layout;
  SLUICE_CHECK(layout.IsValid());
  size_t next = 0;
  for (size_t row = 0; layout.row_parity && row < layout.rows; ++row) {
    Parity& parity = parities_[next++];
    parity.offset = row * layout.columns;
    parity.full = layout.columns;
    parity.header_size = FlexFecHeaderSize(layout.columns - 1);
  }
  for (size_t column = 0; layout.column_parity && column < layout.columns; ++column) {
    Parity& parity = parities_[next++];
    parity.offset = column;
    parity.full = layout.rows;
    parity.header_size = FlexFecHeaderSize((layout.rows - 1) * layout.columns);
  }
}

void ParityEncoder::Begin(const StreamInfo& info, const RepairStream& repair) {
  End();
  active_ = true;
  protected_ssrc_ = info.ssrc;
  extensions_ = info.extensions;
  repair_ = repair;
}

void ParityEncoder::End() {
  for (Parity& parity : parities_) {
    parity.packet.Return();
    parity.mask = {};
  }
  active_ = false;
  base_.reset();
  finished_ = false;
  seen_ = {};
  deadline_ = Timestamp::PlusInfinity();
}

void ParityEncoder::Add(Timestamp now, const RtpPacketView& packet, ParityEncoderCounters& counters,
                        InterceptorOutbox& out) {
  if (packet.bytes().size() > options_.max_packet_size) {
    ++counters.too_long;
    return;
  }
  const uint16_t sequence = packet.sequence_number().value();
  if (base_.has_value()) {
    const int behind = -static_cast<int16_t>(sequence - *base_);
    if (behind > 0 && behind <= kMaxLateness) {
      ++counters.late;
      return;
    }
    const bool inside = behind <= 0 && static_cast<size_t>(-behind) < options_.layout.packets();
    // One that is ahead of all in a block that was finished early begins the next.
    if (inside && finished_ && static_cast<size_t>(-behind) <= seen_.Last()) {
      ++counters.late;
      return;
    }
    if (!inside) {
      Finish(now, counters, out);
    }
  }
  if (!base_.has_value() || finished_) {
    base_ = sequence;
    finished_ = false;
    seen_ = {};
    deadline_ = now + options_.max_delay;
  }
  Place(now, static_cast<uint16_t>(sequence - *base_), packet, counters, out);
}

void ParityEncoder::Place(Timestamp now, size_t place, const RtpPacketView& packet,
                          ParityEncoderCounters& counters, InterceptorOutbox& out) {
  if (seen_.Has(place)) {
    ++counters.duplicates;
    return;
  }
  seen_.Set(place);
  ++counters.protected_packets;
  const ParityLayout& layout = options_.layout;
  const size_t row = place / layout.columns;
  const size_t column = place % layout.columns;
  if (layout.row_parity) {
    Parity& parity = parities_[row];
    AddTo(parity, column, packet, counters, out);
    // A row need not wait for its block.
    if (parity.mask.count() == parity.full) {
      Send(now, parity, counters, out);
    }
  }
  if (layout.column_parity) {
    Parity& parity = parities_[(layout.row_parity ? layout.rows : 0) + column];
    AddTo(parity, row * layout.columns, packet, counters, out);
  }
  if (place == layout.packets() - 1) {
    Finish(now, counters, out);
  }
}

void ParityEncoder::AddTo(Parity& parity, size_t bit, const RtpPacketView& packet,
                          ParityEncoderCounters& counters, InterceptorOutbox& out) {
  if (!parity.packet) {
    parity.packet = out.packets().Lend();
    const size_t header = kRtpFixedHeaderSize + parity.header_size;
    if (!parity.packet ||
        !parity.packet.Resize(header + options_.max_packet_size - kRtpFixedHeaderSize)) {
      parity.packet.Return();
      ++counters.no_slot;
      return;
    }
    parity.sum = ParitySum(parity.packet.bytes().subspan(header));
  }
  if (parity.sum.Add(packet, extensions_)) {
    parity.mask.Set(bit);
  }
}

void ParityEncoder::Send(Timestamp now, Parity& parity, ParityEncoderCounters& counters,
                         InterceptorOutbox& out) {
  if (parity.mask.empty()) {
    parity.packet.Return();
    return;
  }
  const size_t header = kRtpFixedHeaderSize + parity.header_size;
  const absl::Span<uint8_t> bytes = parity.packet.bytes();
  RepairNumbering& numbering = *repair_.numbering;
  // V = 2 and nothing else; no marker.
  bytes[0] = 0x80;
  bytes[1] = repair_.format.payload_type.value() & 0x7F;
  StoreBe16(&bytes[2], numbering.next_sequence);
  StoreBe32(&bytes[4], TimestampAt(now).value());
  StoreBe32(&bytes[8], numbering.ssrc->value());
  WriteFlexFecHeader({.recovery = parity.sum.fields(),
                      .protected_ssrc = protected_ssrc_,
                      .base = SequenceNumber(static_cast<uint16_t>(*base_ + parity.offset)),
                      .mask = parity.mask},
                     bytes.subspan(kRtpFixedHeaderSize, parity.header_size));
  const bool sent = parity.packet.Resize(header + parity.sum.payload().size()) &&
                    out.SendRtp(std::move(parity.packet), PacketSource::kForwardErrorCorrection);
  parity.packet.Return();
  parity.mask = {};
  if (sent) {
    ++numbering.next_sequence;
    ++counters.parity_sent;
  } else {
    ++counters.no_room;
  }
}

void ParityEncoder::Finish(Timestamp now, ParityEncoderCounters& counters, InterceptorOutbox& out) {
  for (Parity& parity : parities_) {
    Send(now, parity, counters, out);
  }
  finished_ = true;
  deadline_ = Timestamp::PlusInfinity();
}

RtpTimestamp ParityEncoder::TimestampAt(Timestamp now) const {
  // "The timestamp SHALL be set to a time corresponding to the repair packet's transmission time"
  // (section 4.2.1). Unsigned, so that it wraps; in two parts, so that it does so only in the end.
  const auto us = static_cast<uint64_t>(now.us());
  const uint64_t rate = repair_.format.clock_rate;
  const uint64_t ticks =
      us / kMicrosPerSecond * rate + us % kMicrosPerSecond * rate / kMicrosPerSecond;
  return RtpTimestamp(static_cast<uint32_t>(ticks + repair_.numbering->timestamp_offset));
}

}  // namespace sluice

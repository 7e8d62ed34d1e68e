#include "interceptor/fec/parity_decoder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"

namespace sluice {

ParityDecoder::ParityDecoder(size_t max_streams, const ParityDecoderOptions& options)
    : streams_(max_streams),
      media_(max_streams, options.media_packets, options.max_packet_size),
      storage_(options.parity_packets * options.max_packet_size),
      parities_(options.parity_packets) {
  SLUICE_CHECK(options.parity_packets >= 1 && options.parity_packets <= kMaxParities);
  for (size_t i = 0; i < parities_.size(); ++i) {
    parities_[i].sum = ParitySum(absl::MakeSpan(storage_).subspan(
        i * options.max_packet_size, options.max_packet_size - kRtpFixedHeaderSize));
  }
}

void ParityDecoder::AddStream(StreamSlot slot, const StreamInfo& info) {
  RemoveStream(slot);
  streams_[slot.value()].info = info;
  streams_[slot.value()].active = true;
}

void ParityDecoder::RemoveStream(StreamSlot slot) {
  for (Parity& parity : parities_) {
    if (parity.slot == slot) {
      Free(parity);
    }
  }
  if (streams_[slot.value()].active) {
    media_.Forget(slot);
  }
  streams_[slot.value()] = {};
}

ParityDecoder::MediaVerdict ParityDecoder::OnMedia(StreamSlot slot, const RtpPacketView& packet,
                                                   InterceptorOutbox& out) {
  Stream& stream = streams_[slot.value()];
  const int64_t sequence = stream.unwrapper.Unwrap(packet.sequence_number().value());
  const std::optional<ReceivedMedia::Packet> known = media_.Find(slot, sequence);
  if (known.has_value()) {
    if (known->recovered) {
      ++counters_.already_recovered;
      return MediaVerdict::kAlreadyRecovered;
    }
    return MediaVerdict::kPass;
  }
  if (!media_.Store(slot, sequence, packet.bytes(), false)) {
    ++counters_.media_too_long;
    return MediaVerdict::kPass;
  }
  ++counters_.media;
  if (stream.waiting > 0) {
    Expire(slot, sequence);
    TakeOut(slot, sequence, packet);
    Settle(slot, out);
  }
  return MediaVerdict::kPass;
}

void ParityDecoder::OnParity(StreamSlot slot, const RtpPacketView& packet, InterceptorOutbox& out) {
  Stream& stream = streams_[slot.value()];
  const absl::Span<const uint8_t> payload = packet.payload_without_padding();
  if (payload.empty()) {
    ++counters_.padding_only;
    return;
  }
  const PayloadFormat* format = stream.info.FindFormat(packet.payload_type());
  if (format == nullptr || format->role != PayloadRole::kForwardErrorCorrection) {
    ++counters_.foreign;
    return;
  }
  const FlexFecPacket fec = ReadFlexFec(payload);
  if (fec.verdict != FlexFecVerdict::kOk) {
    ++(fec.verdict == FlexFecVerdict::kMalformed ? counters_.malformed : counters_.unsupported);
    return;
  }
  if (fec.header.protected_ssrc != stream.info.ssrc) {
    ++counters_.foreign;
    return;
  }
  const int64_t base = stream.unwrapper.Peek(fec.header.base.value());
  const int64_t newest = stream.unwrapper.last().value_or(base);
  if (base < newest - kMaxDistance || base > newest + kMaxDistance) {
    ++counters_.far;
    return;
  }
  PacketMask missing;
  fec.header.mask.ForEach([&](size_t i) {
    if (!media_.Find(slot, base + static_cast<int64_t>(i)).has_value()) {
      missing.Set(i);
    }
  });
  ++counters_.parity;
  if (missing.empty()) {
    ++counters_.unneeded;
    return;
  }
  Parity& parity = TakePlace();
  if (!parity.sum.Begin(fec.header.recovery, fec.repair_payload)) {
    ++counters_.parity_too_long;
    return;
  }
  parity.slot = slot;
  parity.base = base;
  parity.missing = fec.header.mask;
  ++stream.waiting;
  // What came is taken out now: it may be forgotten when the rest comes.
  fec.header.mask.ForEach([&](size_t i) {
    const auto known = media_.Find(slot, base + static_cast<int64_t>(i));
    if (!known.has_value()) {
      return;
    }
    const std::optional<RtpPacketView> view = RtpPacketView::Parse(known->bytes);
    if (view.has_value() && parity.sum.Add(*view, stream.info.extensions)) {
      parity.missing.Clear(i);
    }
  });
  Settle(slot, out);
}

ParityDecoder::Parity& ParityDecoder::TakePlace() {
  for (size_t i = 0; i < parities_.size(); ++i) {
    const size_t place = (next_place_ + i) % parities_.size();
    if (parities_[place].slot == kNoStream) {
      next_place_ = (place + 1) % parities_.size();
      return parities_[place];
    }
  }
  Parity& oldest = parities_[next_place_];
  next_place_ = (next_place_ + 1) % parities_.size();
  ++counters_.evicted;
  Free(oldest);
  return oldest;
}

void ParityDecoder::Free(Parity& parity) {
  SLUICE_DCHECK(parity.slot != kNoStream);
  --streams_[parity.slot.value()].waiting;
  parity.slot = kNoStream;
}

void ParityDecoder::TakeOut(StreamSlot slot, int64_t sequence, const RtpPacketView& packet) {
  for (Parity& parity : parities_) {
    if (parity.slot != slot || sequence < parity.base ||
        sequence >= parity.base + static_cast<int64_t>(PacketMask::kMaxPackets)) {
      continue;
    }
    const auto i = static_cast<size_t>(sequence - parity.base);
    if (parity.missing.Has(i) && parity.sum.Add(packet, streams_[slot.value()].info.extensions)) {
      parity.missing.Clear(i);
    }
  }
}

void ParityDecoder::Settle(StreamSlot slot, InterceptorOutbox& out) {
  // Each round frees a place: there are no more rounds than places.
  bool changed = true;
  while (changed) {
    changed = false;
    for (Parity& parity : parities_) {
      if (parity.slot != slot) {
        continue;
      }
      if (parity.missing.empty()) {
        ++counters_.unneeded;
        Free(parity);
      } else if (parity.missing.count() == 1) {
        Recover(parity, out);
        changed = true;
      }
    }
  }
}

void ParityDecoder::Recover(Parity& parity, InterceptorOutbox& out) {
  const StreamSlot slot = parity.slot;
  const int64_t sequence = parity.base + static_cast<int64_t>(parity.missing.First());
  Free(parity);
  PacketLoan packet = out.packets().Lend();
  if (!packet) {
    ++counters_.no_slot;
    return;
  }
  const bool written = parity.sum.WritePacket(
      streams_[slot.value()].info.ssrc, SequenceNumber(static_cast<uint16_t>(sequence)), packet);
  const std::optional<RtpPacketView> view =
      written ? RtpPacketView::Parse(packet.bytes()) : std::nullopt;
  if (!view.has_value()) {
    ++counters_.recovered_malformed;
    return;
  }
  media_.Store(slot, sequence, packet.bytes(), true);
  TakeOut(slot, sequence, *view);
  if (out.DeliverRtp(std::move(packet), PacketSource::kRecovered)) {
    ++counters_.recovered;
  } else {
    ++counters_.no_room;
  }
}

void ParityDecoder::Expire(StreamSlot slot, int64_t newest) {
  for (Parity& parity : parities_) {
    if (parity.slot == slot &&
        (parity.base < newest - kMaxDistance || parity.base > newest + kMaxDistance)) {
      ++counters_.expired;
      Free(parity);
    }
  }
}

size_t ParityDecoder::waiting() const {
  return static_cast<size_t>(std::count_if(parities_.begin(), parities_.end(),
                                           [](const auto& p) { return p.slot != kNoStream; }));
}

}  // namespace sluice

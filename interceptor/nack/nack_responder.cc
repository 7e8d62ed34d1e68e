#include "interceptor/nack/nack_responder.h"

#include <variant>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/data_size.h"
#include "interceptor/nack/rtx_packet.h"
#include "interceptor/rtcp/compound.h"
#include "srtp/initial_sequence_number.h"

namespace sluice {
namespace {

// As many as any chain has.
constexpr size_t kMaxStreams = 1024;
// All numbers that there are.
constexpr size_t kMaxRequests = 65536;

DataSize SizeOf(absl::Span<const uint8_t> bytes) {
  return DataSize::Bytes(static_cast<int64_t>(bytes.size()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<NackResponder>> NackResponder::Create(
    const NackResponderOptions& options, RandomSource& random) {
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  if (!SendHistory::AreValidLimits(options.history_packets, options.history_bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the history is ", options.history_packets, " packets and ", options.history_bytes,
        " bytes, want powers of two in ", SendHistory::kMinPackets, "..", SendHistory::kMaxPackets,
        " and ", SendHistory::kMinBytes, "..", SendHistory::kMaxBytes));
  }
  if (options.max_age <= TimeDelta::Zero()) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_age is ", options.max_age, ", want more than 0"));
  }
  if (options.max_requests < 1 || options.max_requests > kMaxRequests) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_requests is ", options.max_requests, ", want 1..", kMaxRequests));
  }
  if (!RetransmissionBudget::IsValid(options.budget)) {
    return absl::InvalidArgumentError("the budget of retransmissions is out of its range");
  }
  if (options.initial_round_trip <= TimeDelta::Zero()) {
    return absl::InvalidArgumentError(
        absl::StrCat("initial_round_trip is ", options.initial_round_trip, ", want more than 0"));
  }
  return absl::WrapUnique(new NackResponder(options, random));
}

NackResponder::NackResponder(const NackResponderOptions& options, RandomSource& random)
    : options_(options),
      random_(random),
      interval_(options.initial_round_trip),
      streams_(options.max_streams),
      ssrcs_(options.max_streams, Ssrc(0)),
      numberings_(options.max_streams),
      history_(options.history_packets, options.history_bytes),
      budget_(options.budget) {}

void NackResponder::OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
                                  const StreamInfo& info) {
  if (direction != PacketDirection::kOutgoing || slot.value() >= streams_.size() ||
      !info.feedback.nack) {
    return;
  }
  Stream& stream = streams_[slot.value()];
  stream.active = true;
  stream.info = info;
  stream.numbering = nullptr;
  stream.newest.reset();
  if (info.retransmission_ssrc.has_value()) {
    stream.numbering = &BeginNumbering(*info.retransmission_ssrc);
  }
  stream.repeatable = stream.numbering != nullptr || options_.plain_retransmission;
  ssrcs_[slot.value()] = info.ssrc;
}

NackResponder::Numbering& NackResponder::BeginNumbering(Ssrc ssrc) {
  Numbering* best = nullptr;
  for (Numbering& numbering : numberings_) {
    if (numbering.ssrc == ssrc) {
      numbering.active = true;
      return numbering;
    }
    if (!numbering.active && (best == nullptr || best->ssrc.has_value())) {
      best = &numbering;
    }
  }
  SLUICE_CHECK(best != nullptr);
  *best = {.ssrc = ssrc, .next = InitialSequenceNumber(random_).value(), .active = true};
  return *best;
}

void NackResponder::OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) {
  if (direction != PacketDirection::kOutgoing || slot.value() >= streams_.size()) {
    return;
  }
  Stream& stream = streams_[slot.value()];
  stream.active = false;
  if (stream.numbering != nullptr) {
    stream.numbering->active = false;
    stream.numbering = nullptr;
  }
  ssrcs_[slot.value()] = Ssrc(0);
  history_.Forget(slot);
}

// Once per packet, and only here.
inline void NackResponder::Remember(Timestamp now, StreamSlot slot, Stream& stream,
                                    const RtpPacketView& packet) {
  const uint16_t sequence = packet.sequence_number().value();
  const bool late =
      stream.newest.has_value() && static_cast<int16_t>(sequence - *stream.newest) < 0;
  if (!late) {
    stream.newest = sequence;
  }
  // The peer misses a late packet and may have asked for it: now it is on its way. One in order
  // cannot have been asked for.
  const Timestamp last_sent = late ? now : Timestamp::MinusInfinity();
  switch (history_.Store(now, slot, packet.sequence_number(), packet.bytes(), last_sent)) {
    case StoreVerdict::kStored:
      ++counters_.stored;
      break;
    case StoreVerdict::kDuplicate:
      ++counters_.stored_duplicates;
      break;
    case StoreVerdict::kTooLong:
      ++counters_.too_long;
      break;
  }
}

void NackResponder::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                  InterceptorOutbox&) {
  for (const InterceptedRtp& packet : packets) {
    if (packet.source != PacketSource::kForwarded) {
      continue;
    }
    budget_.Earn(SizeOf(packet.view.bytes()));
    if (packet.stream.value() < streams_.size() && packet.role == SsrcRole::kMedia) {
      Stream& stream = streams_[packet.stream.value()];
      if (stream.active && stream.repeatable) {
        Remember(now, packet.stream, stream, packet.view);
      }
    }
  }
}

void NackResponder::OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                                   InterceptorOutbox& out) {
  requests_left_ = options_.max_requests;
  for (const InterceptedRtcp& datagram : packets) {
    const RtcpReadCounts counts = ReadCompound(
        datagram.view, RtcpReader{[&](const NackView& nack) {
          const StreamSlot slot = FindStream(nack.media());
          if (slot == kNoStream) {
            ++counters_.unknown_ssrc;
            return;
          }
          nack.ForEachMissing([&](SequenceNumber sequence) { Answer(now, slot, sequence, out); });
        }});
    counters_.nacks_received += counts.read;
    counters_.malformed += counts.malformed;
  }
}

StreamSlot NackResponder::FindStream(Ssrc ssrc) const {
  for (size_t i = 0; i < ssrcs_.size(); ++i) {
    if (ssrcs_[i] == ssrc && streams_[i].active) {
      return StreamSlot(static_cast<uint16_t>(i));
    }
  }
  return kNoStream;
}

void NackResponder::Answer(Timestamp now, StreamSlot slot, SequenceNumber sequence,
                           InterceptorOutbox& out) {
  ++counters_.requests;
  if (requests_left_ == 0) {
    ++counters_.ignored;
    return;
  }
  --requests_left_;
  Stream& stream = streams_[slot.value()];
  if (!stream.repeatable) {
    ++counters_.not_repeatable;
    return;
  }
  const std::optional<SendHistory::Packet> original = history_.Find(slot, sequence);
  if (!original.has_value()) {
    ++counters_.not_found;
    return;
  }
  if (now - original->stored > options_.max_age) {
    ++counters_.too_old;
    return;
  }
  if (now - *original->last_sent < interval_.repeat_again()) {
    ++counters_.under_way;
    return;
  }
  // Approximately: a retransmission has two bytes more and no padding.
  if (!budget_.Allows(now, SizeOf(original->bytes))) {
    ++counters_.over_budget;
    return;
  }
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(original->bytes);
  if (!view.has_value()) {
    SLUICE_BUG(remembered_packet_is_no_packet);
    return;
  }
  const PayloadFormat* format = stream.numbering != nullptr
                                    ? stream.info.FindRetransmissionOf(view->payload_type())
                                    : nullptr;
  if (format == nullptr && !options_.plain_retransmission) {
    ++counters_.not_repeatable;
    return;
  }
  PacketLoan packet = Repeat(stream, *view, format, out);
  if (!packet || !out.SendRtp(std::move(packet), PacketSource::kRetransmission)) {
    ++counters_.no_room;
    return;
  }
  if (format != nullptr) {
    ++stream.numbering->next;
    ++counters_.retransmitted;
  } else {
    ++counters_.repeated_plain;
  }
  budget_.Spend(SizeOf(original->bytes));
  *original->last_sent = now;
}

PacketLoan NackResponder::Repeat(const Stream& stream, const RtpPacketView& original,
                                 const PayloadFormat* format, InterceptorOutbox& out) {
  PacketLoan packet = out.packets().Lend();
  if (!packet) {
    return packet;
  }
  if (format != nullptr) {
    const RtxIdentity identity = {*stream.numbering->ssrc, format->payload_type,
                                  SequenceNumber(stream.numbering->next)};
    if (!WriteRetransmission(original, identity, packet)) {
      packet.Return();
    }
  } else if (packet.Resize(original.bytes().size())) {
    CopyBytes(packet.bytes(), original.bytes());
  } else {
    packet.Return();
  }
  return packet;
}

void NackResponder::OnEvent(Timestamp, const InterceptorEvent& event, InterceptorOutbox&) {
  if (const auto* measured = std::get_if<RoundTripMeasured>(&event)) {
    interval_.Measure(measured->round_trip);
  }
}

}  // namespace sluice

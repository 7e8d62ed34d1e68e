#include "interceptor/nack/nack_generator.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptor/nack/rtx_packet.h"
#include "interceptor/rtcp/nack.h"

namespace sluice {
namespace {

// As many as any chain has.
constexpr size_t kMaxStreams = 1024;
// Longer than that, and repair would come too late for anything that is played.
constexpr TimeDelta kMaxHoldOff = TimeDelta::Seconds(1);
// When the outbox was full: the next batch has another one.
constexpr TimeDelta kOutboxRetry = TimeDelta::Millis(5);
// Header and the two SSRCs of a NACK, and one item (RFC 4585 section 6.1).
constexpr size_t kNackHeaderSize = 12;
constexpr size_t kNackItemSize = 4;

// Room for a NACK of `count` packets that are not close to each other.
size_t NackRoom(size_t count) {
  return std::min(kMaxRtcpPacketSize, kNackHeaderSize + kNackItemSize * count);
}

}  // namespace

absl::StatusOr<std::unique_ptr<NackGenerator>> NackGenerator::Create(
    const NackGeneratorOptions& options) {
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  if (!ReceiveLog::IsValidWindow(options.window)) {
    return absl::InvalidArgumentError(
        absl::StrCat("window is ", options.window, ", want a power of two in ",
                     ReceiveLog::kMinWindow, "..", ReceiveLog::kMaxWindow));
  }
  if (options.max_missing < 1 || options.max_missing > MissingPackets::kMaxCapacity) {
    return absl::InvalidArgumentError(absl::StrCat("max_missing is ", options.max_missing,
                                                   ", want 1..", MissingPackets::kMaxCapacity));
  }
  if (options.max_gap < 1 || options.max_gap > options.max_missing ||
      options.max_gap >= options.window) {
    return absl::InvalidArgumentError(absl::StrCat(
        "max_gap is ", options.max_gap, ", want 1..max_missing and less than the window"));
  }
  if (options.max_attempts < 1 || options.max_attempts > MissingPackets::kMaxAttempts) {
    return absl::InvalidArgumentError(absl::StrCat("max_attempts is ", options.max_attempts,
                                                   ", want 1..", MissingPackets::kMaxAttempts));
  }
  if (options.hold_off < TimeDelta::Zero() || options.hold_off > kMaxHoldOff) {
    return absl::InvalidArgumentError(
        absl::StrCat("hold_off is ", options.hold_off, ", want 0..", kMaxHoldOff));
  }
  if (options.initial_round_trip <= TimeDelta::Zero()) {
    return absl::InvalidArgumentError(
        absl::StrCat("initial_round_trip is ", options.initial_round_trip, ", want more than 0"));
  }
  return absl::WrapUnique(new NackGenerator(options));
}

NackGenerator::NackGenerator(const NackGeneratorOptions& options)
    : options_(options), interval_(options.initial_round_trip) {
  streams_.reserve(options.max_streams);
  for (size_t i = 0; i < options.max_streams; ++i) {
    streams_.emplace_back(options);
  }
}

void NackGenerator::OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
                                  const StreamInfo& info) {
  if (direction != PacketDirection::kIncoming || slot.value() >= streams_.size()) {
    return;
  }
  Stream& stream = streams_[slot.value()];
  stream.active = true;
  stream.asks = info.feedback.nack;
  stream.info = info;
  stream.log.Clear();
  stream.missing.Clear();
}

void NackGenerator::OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) {
  if (direction != PacketDirection::kIncoming || slot.value() >= streams_.size()) {
    return;
  }
  Stream& stream = streams_[slot.value()];
  stream.active = false;
  stream.asks = false;
  stream.missing.Clear();
}

void NackGenerator::OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                  InterceptorOutbox& out) {
  for (InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= streams_.size()) {
      continue;  // kNoStream is behind all.
    }
    Stream& stream = streams_[packet.stream.value()];
    if (packet.role == SsrcRole::kMedia && stream.asks) {
      const ReceiveRecord record = stream.log.Record(packet.view.sequence_number().value());
      if (record.verdict != ReceiveVerdict::kNewest || record.missing_from != record.sequence) {
        Consider(now, record, stream, out);
      }
    } else if (packet.role == SsrcRole::kRetransmission && stream.active) {
      HandleRetransmission(now, stream, packet, out);
    }
  }
}

void NackGenerator::Consider(Timestamp now, const ReceiveRecord& record, Stream& stream,
                             InterceptorOutbox& out) {
  switch (record.verdict) {
    case ReceiveVerdict::kDuplicate:
      ++counters_.duplicates;
      return;
    case ReceiveVerdict::kFar:
      ++counters_.far;
      return;
    case ReceiveVerdict::kLate: {
      const std::optional<int> attempts = stream.missing.Remove(record.sequence);
      if (attempts.has_value()) {
        ++(*attempts == 0 ? counters_.reordered : counters_.repaired);
      }
      return;
    }
    case ReceiveVerdict::kRestarted:
      ++counters_.restarts;
      stream.missing.Clear();
      RaiseLoss(stream, out);
      break;
    case ReceiveVerdict::kNewest:
      break;
  }
  if (record.missing_from == record.sequence) {
    return;
  }
  counters_.missing += static_cast<uint64_t>(record.sequence - record.missing_from);
  const Timestamp due = now + options_.hold_off;
  const size_t pushed_out = stream.missing.Add(record.missing_from, record.sequence, due);
  next_due_ = std::min(next_due_, due);
  if (pushed_out > 0) {
    counters_.pushed_out += pushed_out;
    RaiseLoss(stream, out);
  }
}

void NackGenerator::HandleRetransmission(Timestamp now, Stream& stream, InterceptedRtp& packet,
                                         InterceptorOutbox& out) {
  const PayloadFormat* format = stream.info.FindFormat(packet.view.payload_type());
  if (format == nullptr || format->role != PayloadRole::kRetransmission) {
    ++counters_.malformed;
    packet.Take();
    return;
  }
  const std::optional<SequenceNumber> sequence = ReadOriginalSequence(packet.view);
  if (!sequence.has_value()) {
    // A stream without media to repeat may be used to probe with padding.
    ++(packet.view.payload_without_padding().empty() ? counters_.padding_only
                                                     : counters_.malformed);
    packet.Take();
    return;
  }
  const RetransmissionOrigin origin = {packet.view.payload_type(), packet.view.ssrc(),
                                       packet.view.sequence_number()};
  if (stream.asks && !RecordRestored(now, *sequence, stream, out)) {
    packet.Take();
    return;
  }
  if (!RestoreOriginal({stream.info.ssrc, format->associated, *sequence}, packet)) {
    ++counters_.malformed;
    packet.Take();
    return;
  }
  ++counters_.restored;
  packet.role = SsrcRole::kMedia;
  packet.attributes.Set(out.attributes(), &PacketAttributes::retransmission, origin);
}

bool NackGenerator::RecordRestored(Timestamp now, SequenceNumber sequence, Stream& stream,
                                   InterceptorOutbox& out) {
  const ReceiveRecord record = stream.log.RecordRepeated(sequence.value());
  if (record.verdict == ReceiveVerdict::kDuplicate) {
    ++counters_.restored_duplicates;
    return false;
  }
  if (record.verdict == ReceiveVerdict::kFar) {
    ++counters_.restored_far;
    return false;
  }
  Consider(now, record, stream, out);
  return true;
}

void NackGenerator::OnEvent(Timestamp, const InterceptorEvent& event, InterceptorOutbox&) {
  if (const auto* measured = std::get_if<RoundTripMeasured>(&event)) {
    interval_.Measure(measured->round_trip);
  }
}

void NackGenerator::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  if (now < next_due_) {
    return;
  }
  next_due_ = Timestamp::PlusInfinity();
  for (Stream& stream : streams_) {
    if (stream.missing.next_due() <= now) {
      SendNacks(now, stream, out);
    }
    next_due_ = std::min(next_due_, stream.missing.next_due());
  }
}

void NackGenerator::SendNacks(Timestamp now, Stream& stream, InterceptorOutbox& out) {
  const size_t given_up = stream.missing.GiveUp(now, stream.log.oldest());
  if (given_up > 0) {
    counters_.given_up += given_up;
    RaiseLoss(stream, out);
  }
  const absl::Span<const SequenceNumber> due = stream.missing.Due(now);
  size_t asked = 0;
  while (asked < due.size()) {
    const absl::Span<uint8_t> room = out.ReserveRtcp(NackRoom(due.size() - asked));
    if (room.empty()) {
      ++counters_.nacks_delayed;
      break;
    }
    size_t written = 0;
    const size_t size =
        WriteNack(options_.sender, stream.info.ssrc, due.subspan(asked), room, written);
    out.CommitRtcp(size);
    asked += written;
    ++counters_.nacks_sent;
  }
  counters_.requests_sent += asked;
  stream.missing.MarkAsked(now, asked, now + interval_.ask_again(), now + kOutboxRetry);
}

void NackGenerator::RaiseLoss(const Stream& stream, InterceptorOutbox& out) {
  if (stream.info.video) {
    out.Raise(KeyFrameNeeded{stream.info.ssrc});
  }
}

size_t NackGenerator::missing() const {
  size_t sum = 0;
  for (const Stream& stream : streams_) {
    sum += stream.missing.size();
  }
  return sum;
}

}  // namespace sluice

#include "interceptor/twcc/transport_wide_feedback.h"

#include <optional>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/data_size.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/twcc/sequence_extension.h"

namespace sluice {
namespace {

constexpr size_t kMaxReports = 32768;
// As many as any chain has.
constexpr size_t kMaxStreams = 1024;
// Feedback packets in one go. A log that is reported when it is half full needs three at most; more
// are for one that filled while there was no room to send them.
constexpr int kMaxFeedbackPackets = 8;

DataSize SizeOf(const InterceptedRtp& packet) {
  return DataSize::Bytes(static_cast<int64_t>(packet.packet->size()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TransportWideFeedback>> TransportWideFeedback::Create(
    const TransportWideFeedbackOptions& options) {
  if (!ArrivalLog::IsValidCapacity(options.arrival_log)) {
    return absl::InvalidArgumentError(
        absl::StrCat("arrival_log is ", options.arrival_log, ", want a power of two in ",
                     ArrivalLog::kMinCapacity, "..", ArrivalLog::kMaxCapacity));
  }
  if (!SendLog::IsValidCapacity(options.send_log)) {
    return absl::InvalidArgumentError(
        absl::StrCat("send_log is ", options.send_log, ", want a power of two in ",
                     SendLog::kMinCapacity, "..", SendLog::kMaxCapacity));
  }
  if (options.max_reports < 1 || options.max_reports > kMaxReports) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_reports is ", options.max_reports, ", want 1..", kMaxReports));
  }
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  if (!FeedbackPace::IsValid(options.pace)) {
    return absl::InvalidArgumentError("the pace of feedback is not a pace");
  }
  return absl::WrapUnique(new TransportWideFeedback(options));
}

TransportWideFeedback::TransportWideFeedback(const TransportWideFeedbackOptions& options)
    : incoming_ids_(options.max_streams),
      outgoing_ids_(options.max_streams),
      generator_(options.sender, options.arrival_log),
      pace_(options.pace),
      sent_(options.send_log),
      reports_(sent_, options.max_reports) {}

void TransportWideFeedback::OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
                                          const StreamInfo& info) {
  if (slot.value() < ids(direction).size() && info.feedback.transport_wide) {
    ids(direction)[slot.value()] = info.extensions.transport_sequence;
  }
}

void TransportWideFeedback::OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) {
  if (slot.value() < ids(direction).size()) {
    ids(direction)[slot.value()] = 0;
  }
}

void TransportWideFeedback::OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                          InterceptorOutbox& out) {
  for (const InterceptedRtp& packet : packets) {
    const uint8_t id = IdOf(incoming_ids_, packet.stream);
    if (id == 0) {
      continue;
    }
    std::optional<TransportSequence> sequence =
        packet.attributes.Get(&PacketAttributes::transport_sequence);
    if (!sequence.has_value()) {
      sequence = ReadTransportSequence(packet.view, id);
    }
    if (!sequence.has_value()) {
      ++counters_.unnumbered;
      continue;
    }
    const Timestamp arrived = packet.attributes.Get(&PacketAttributes::arrival).value_or(now);
    generator_.Record(packet.view.ssrc(), *sequence, arrived);
    pace_.OnPacket(now, SizeOf(packet));
  }
  if (generator_.IsUrgent()) {
    SendFeedback(now, out);
  }
}

void TransportWideFeedback::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  if (pace_.due() <= now) {
    SendFeedback(now, out);
  }
}

void TransportWideFeedback::SendFeedback(Timestamp now, InterceptorOutbox& out) {
  DataSize sent = DataSize::Zero();
  for (int i = 0; i < kMaxFeedbackPackets && generator_.HasNews(); ++i) {
    const absl::Span<uint8_t> room = out.ReserveRtcp(kMaxRtcpPacketSize);
    if (room.empty()) {
      // It is told next time.
      ++counters_.feedback_dropped;
      break;
    }
    const size_t size = generator_.WriteNext(room);
    out.CommitRtcp(size);
    sent += DataSize::Bytes(static_cast<int64_t>(size));
    ++counters_.feedback_sent;
  }
  pace_.OnFeedback(now, sent);
}

void TransportWideFeedback::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                          InterceptorOutbox&) {
  for (InterceptedRtp& packet : packets) {
    const uint8_t id = IdOf(outgoing_ids_, packet.stream);
    if (id != 0) {
      Number(now, id, packet);
    }
  }
}

void TransportWideFeedback::Number(Timestamp now, uint8_t id, InterceptedRtp& packet) {
  const TransportSequence sequence(static_cast<uint16_t>(sent_.next()));
  switch (WriteTransportSequence(*packet.packet, packet.view, id, sequence)) {
    case WriteSequenceVerdict::kOverwritten:
      break;
    case WriteSequenceVerdict::kInserted:
      if (!packet.Reparse()) {
        SLUICE_BUG(numbered_packet_is_no_packet);
      }
      break;
    case WriteSequenceVerdict::kUnwritable:
      ++counters_.unwritable;
      return;
    case WriteSequenceVerdict::kNoRoom:
      ++counters_.no_headroom;
      return;
  }
  ++counters_.numbered;
  const uint32_t cluster = packet.attributes.Get(&PacketAttributes::probe_cluster).value_or(0);
  sent_.Add(now, SizeOf(packet), cluster);
}

void TransportWideFeedback::OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                                           InterceptorOutbox& out) {
  reports_.BeginBatch();
  for (InterceptedRtcp& datagram : packets) {
    const RtcpReadCounts counts =
        ReadCompound(datagram.view, RtcpReader{[this](const TransportFeedbackView& feedback) {
                       reader_.Read(feedback, sent_, reports_);
                     }});
    counters_.feedback_received += counts.read;
    counters_.malformed += counts.malformed;
    const std::optional<FeedbackReport> report = reports_.EndDatagram(now);
    if (report.has_value() &&
        !datagram.attributes.Set(out.attributes(), &PacketAttributes::feedback, *report)) {
      ++counters_.reports_dropped;
    }
  }
}

}  // namespace sluice

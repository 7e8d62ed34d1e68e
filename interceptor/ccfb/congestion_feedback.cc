#include "interceptor/ccfb/congestion_feedback.h"

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/data_size.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/twcc/arrival_log.h"

namespace sluice {
namespace {

constexpr size_t kMaxReports = 32768;
// As many as any chain has, and three SSRCs for each.
constexpr size_t kMaxStreams = 1024;
constexpr size_t kMaxSsrcs = 3 * kMaxStreams;
// Feedback packets in one go: what three streams at their logs' limit need. The rest goes with the
// next one.
constexpr int kMaxFeedbackPackets = 8;

DataSize SizeOf(const InterceptedRtp& packet) {
  return DataSize::Bytes(static_cast<int64_t>(packet.packet->size()));
}

// The middle 32 bits of an NTP time (RFC 3550 section 4).
uint32_t CompactNtpAt(uint64_t origin, Timestamp now) {
  constexpr int64_t kMicrosPerSecond = 1'000'000;
  const int64_t seconds = now.us() / kMicrosPerSecond;
  const int64_t fraction = (now.us() % kMicrosPerSecond << 32) / kMicrosPerSecond;
  const uint64_t since_origin = static_cast<uint64_t>((seconds << 32) + fraction);
  return static_cast<uint32_t>((origin + since_origin) >> 16);
}

absl::Status CheckRange(absl::string_view name, size_t value, size_t max) {
  if (value < 1 || value > max) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is ", value, ", want 1..", max));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<CongestionFeedback>> CongestionFeedback::Create(
    const CongestionFeedbackOptions& options) {
  absl::Status status = CheckRange("max_streams", options.max_streams, kMaxStreams);
  status.Update(CheckRange("max_ssrcs", options.max_ssrcs, kMaxSsrcs));
  status.Update(CheckRange("max_reports", options.max_reports, kMaxReports));
  if (!status.ok()) {
    return status;
  }
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
  if (!FeedbackPace::IsValid(options.pace)) {
    return absl::InvalidArgumentError("the pace of feedback is not a pace");
  }
  return absl::WrapUnique(new CongestionFeedback(options));
}

CongestionFeedback::CongestionFeedback(const CongestionFeedbackOptions& options)
    : ntp_origin_(options.ntp_origin),
      incoming_(options.max_streams),
      outgoing_(options.max_streams),
      generator_(options.sender, options.max_ssrcs, options.arrival_log),
      pace_(options.pace),
      sent_(options.send_log),
      index_(options.send_log),
      reports_(sent_, options.max_reports) {}

void CongestionFeedback::OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
                                       const StreamInfo& info) {
  if (slot.value() >= outgoing_.size() || !info.feedback.congestion_control) {
    return;
  }
  if (direction == PacketDirection::kOutgoing) {
    outgoing_[slot.value()] = true;
    return;
  }
  Incoming& stream = incoming_[slot.value()];
  stream.reported = true;
  stream.places[static_cast<size_t>(SsrcRole::kMedia)] = generator_.AddStream(info.ssrc);
  if (info.retransmission_ssrc.has_value()) {
    stream.places[static_cast<size_t>(SsrcRole::kRetransmission)] =
        generator_.AddStream(*info.retransmission_ssrc);
  }
  if (info.repair_ssrc.has_value()) {
    stream.places[static_cast<size_t>(SsrcRole::kForwardErrorCorrection)] =
        generator_.AddStream(*info.repair_ssrc);
  }
}

void CongestionFeedback::OnStreamJoined(Timestamp, PacketDirection direction, StreamSlot slot,
                                        SsrcRole role, Ssrc ssrc) {
  if (direction == PacketDirection::kIncoming && slot.value() < incoming_.size() &&
      incoming_[slot.value()].reported) {
    incoming_[slot.value()].places[static_cast<size_t>(role)] = generator_.AddStream(ssrc);
  }
}

void CongestionFeedback::OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) {
  if (slot.value() >= outgoing_.size()) {
    return;
  }
  if (direction == PacketDirection::kOutgoing) {
    outgoing_[slot.value()] = false;
    return;
  }
  for (const std::optional<size_t>& place : incoming_[slot.value()].places) {
    if (place.has_value()) {
      generator_.RemoveStream(*place);
    }
  }
  incoming_[slot.value()] = Incoming();
}

void CongestionFeedback::OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                       InterceptorOutbox& out) {
  for (const InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= incoming_.size() || !incoming_[packet.stream.value()].reported) {
      continue;
    }
    const std::optional<size_t> place =
        incoming_[packet.stream.value()].places[static_cast<size_t>(packet.role)];
    if (!place.has_value()) {
      ++counters_.unplaced;
      continue;
    }
    const Timestamp arrived = packet.attributes.Get(&PacketAttributes::arrival).value_or(now);
    generator_.Record(*place, packet.view.sequence_number(), arrived);
    pace_.OnPacket(now, SizeOf(packet));
  }
  if (generator_.IsUrgent()) {
    SendFeedback(now, out);
  }
}

void CongestionFeedback::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  if (pace_.due() <= now) {
    SendFeedback(now, out);
  }
}

void CongestionFeedback::SendFeedback(Timestamp now, InterceptorOutbox& out) {
  const uint32_t timestamp = CompactNtpAt(ntp_origin_, now);
  DataSize sent = DataSize::Zero();
  for (int i = 0; i < kMaxFeedbackPackets && generator_.HasNews(); ++i) {
    const absl::Span<uint8_t> room = out.ReserveRtcp(kMaxRtcpPacketSize);
    if (room.empty()) {
      // It is told next time.
      ++counters_.feedback_dropped;
      break;
    }
    const size_t size = generator_.WriteNext(now, timestamp, room);
    out.CommitRtcp(size);
    sent += DataSize::Bytes(static_cast<int64_t>(size));
    ++counters_.feedback_sent;
  }
  pace_.OnFeedback(now, sent);
}

void CongestionFeedback::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                       InterceptorOutbox&) {
  for (const InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= outgoing_.size() || !outgoing_[packet.stream.value()]) {
      continue;
    }
    ++counters_.logged;
    const uint32_t cluster = packet.attributes.Get(&PacketAttributes::probe_cluster).value_or(0);
    index_.Add(packet.view.ssrc(), packet.view.sequence_number(),
               sent_.Add(now, SizeOf(packet), cluster));
  }
}

void CongestionFeedback::OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                                        InterceptorOutbox& out) {
  reports_.BeginBatch();
  for (InterceptedRtcp& datagram : packets) {
    const RtcpReadCounts counts =
        ReadCompound(datagram.view, RtcpReader{[this](const CcfbView& feedback) {
                       reader_.Read(feedback, sent_, index_, reports_);
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

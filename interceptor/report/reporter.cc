#include "interceptor/report/reporter.h"

#include <algorithm>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp/receiver_report.h"
#include "interceptor/rtcp/sdes.h"
#include "interceptor/rtcp/sender_report.h"

namespace sluice {
namespace {

// As many as any chain has.
constexpr size_t kMaxStreams = 1024;
// Header, SSRC and, of an SR, the sender's part (RFC 3550 section 6.4).
constexpr size_t kSenderReportSize = 28;
constexpr size_t kReceiverReportSize = 8;
// Header and SSRC, one reference time, one block of answers (RFC 3611 sections 2, 4.4 and 4.5).
constexpr size_t kExtendedReportRoom =
    8 + 12 + 4 + ReferenceTimes::kCapacity * ReferenceTimeAnswers::kAnswerSize;
// What goes around reports and counts for their rate (RFC 3550 section 6.2): IPv4 and UDP, and the
// SDES of a CNAME of 16 bytes, the usual one (RFC 7022 section 4.2).
constexpr size_t kIpUdpSize = 28;
constexpr size_t kAroundReports = kIpUdpSize + 4 + SdesCnameChunkSize(16);

}  // namespace

absl::StatusOr<std::unique_ptr<Reporter>> Reporter::Create(const ReporterOptions& options,
                                                           RandomSource& random) {
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  if (!ReportSchedule::IsValid(options.schedule)) {
    return absl::InvalidArgumentError(
        absl::StrCat("reports of a session of ", options.schedule.session_bandwidth, " every ",
                     options.schedule.minimum, ": want at least ", ReportSchedule::kMinBandwidth,
                     " and a time above 0 up to ", ReportSchedule::kMaxMinimum));
  }
  return absl::WrapUnique(new Reporter(options, random));
}

Reporter::Reporter(const ReporterOptions& options, RandomSource& random)
    : options_(options),
      clock_(options.ntp_origin),
      schedule_(options.schedule, kAroundReports + kSenderReportSize + kReportBlockSize, random),
      incoming_(options.max_streams),
      outgoing_(options.max_streams) {}

// ---- Streams. ----

void Reporter::OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                             const StreamInfo& info) {
  if (slot.value() >= incoming_.size()) {
    return;
  }
  if (direction == PacketDirection::kIncoming) {
    Incoming& stream = incoming_[slot.value()];
    stream = Incoming();
    stream.active = true;
    stream.ssrc = info.ssrc;
    stream.clocks = ClockRates(info);
  } else {
    Outgoing& stream = outgoing_[slot.value()];
    stream = Outgoing();
    stream.active = true;
    stream.ssrc = info.ssrc;
    stream.clocks = ClockRates(info);
  }
  if (++streams_ == 1) {
    schedule_.Start(now, Members());
  }
}

void Reporter::OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) {
  if (slot.value() >= incoming_.size()) {
    return;
  }
  bool& active = direction == PacketDirection::kIncoming ? incoming_[slot.value()].active
                                                         : outgoing_[slot.value()].active;
  if (!active) {
    return;
  }
  active = false;
  if (--streams_ == 0) {
    schedule_.Stop();
  } else {
    schedule_.Left(now, Members());
  }
}

Reporter::Incoming* Reporter::FindIncoming(Ssrc ssrc) {
  const auto found = std::find_if(incoming_.begin(), incoming_.end(), [=](const Incoming& stream) {
    return stream.active && stream.ssrc == ssrc;
  });
  return found == incoming_.end() ? nullptr : &*found;
}

const Reporter::Outgoing* Reporter::FindOutgoing(Ssrc ssrc) const {
  const auto found = std::find_if(outgoing_.begin(), outgoing_.end(), [=](const Outgoing& stream) {
    return stream.active && stream.ssrc == ssrc;
  });
  return found == outgoing_.end() ? nullptr : &*found;
}

ReportMembers Reporter::Members() const {
  ReportMembers result = {.members = 0};
  bool own_ssrc = false;
  for (const Outgoing& stream : outgoing_) {
    if (stream.active) {
      ++result.members;
      own_ssrc |= stream.ssrc == options_.ssrc;
      if (stream.quiet_intervals < kSenderIntervals) {
        ++result.senders;
        result.we_sent = true;
      }
    }
  }
  result.members += own_ssrc ? 0 : 1;
  for (const Incoming& stream : incoming_) {
    if (stream.active && !stream.left) {
      ++result.members;
      result.senders += stream.quiet_intervals < kSenderIntervals ? 1 : 0;
    }
  }
  return result;
}

// ---- Media. ----

void Reporter::OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                             InterceptorOutbox&) {
  for (const InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= incoming_.size() || packet.role != SsrcRole::kMedia) {
      continue;  // kNoStream is behind all.
    }
    Incoming& stream = incoming_[packet.stream.value()];
    const RtpPacketView& view = packet.view;
    stream.left = false;
    stream.quiet_intervals = 0;
    const ReceptionVerdict verdict = stream.statistics.Record(view.sequence_number());
    if (verdict == ReceptionVerdict::kFar) {
      continue;
    }
    if (verdict == ReceptionVerdict::kRestarted) {
      stream.jitter.Restart();
    }
    const std::optional<Timestamp> arrival = packet.attributes.Get(&PacketAttributes::arrival);
    stream.jitter.Update(arrival.value_or(now), view.timestamp(),
                         stream.clocks.RateOf(view.payload_type()));
  }
}

void Reporter::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                             InterceptorOutbox&) {
  for (const InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= outgoing_.size() || packet.role != SsrcRole::kMedia ||
        packet.source != PacketSource::kForwarded) {
      continue;
    }
    Outgoing& stream = outgoing_[packet.stream.value()];
    const RtpPacketView& view = packet.view;
    stream.quiet_intervals = 0;
    ++stream.packets;
    stream.octets += static_cast<uint32_t>(view.payload_without_padding().size());
    stream.clock.OnPacket(now, view.sequence_number(), view.timestamp(),
                          stream.clocks.RateOf(view.payload_type()));
  }
}

// ---- Reports that come. ----

void Reporter::OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                              InterceptorOutbox& out) {
  for (const InterceptedRtcp& datagram : packets) {
    std::optional<TimeDelta> round_trip;
    const auto read_blocks = [&](const auto& report) {
      for (size_t i = 0; i < report.block_count(); ++i) {
        OnBlock(now, report.block(i), round_trip, out);
      }
    };
    const RtcpReadCounts counts = ReadCompound(
        datagram.view,
        RtcpReader{[&](const SenderReportView& report) {
                     OnSenderReport(now, report.sender().ssrc, report.sender().ntp_time);
                     read_blocks(report);
                   },
                   [&](const ReceiverReportView& report) {
                     ++counters_.receiver_reports_received;
                     read_blocks(report);
                   },
                   [&](const XrView& report) {
                     const XrBlockCounts blocks = report.ForEachBlock(RtcpReader{
                         [&](const ReceiverReferenceTime& time) {
                           ++counters_.reference_times_received;
                           if (!reference_times_.Add(report.ssrc(), time.ntp_time, now)) {
                             ++counters_.reference_times_forgotten;
                           }
                         },
                         [&](const ReferenceTimeAnswers& answers) {
                           for (size_t i = 0; i < answers.count(); ++i) {
                             OnAnswer(now, answers.answer(i), round_trip);
                           }
                         }});
                     counters_.malformed += blocks.malformed;
                   },
                   [&](const ByeView& bye) {
                     for (size_t i = 0; i < bye.source_count(); ++i) {
                       OnGoodbye(now, bye.source(i));
                     }
                   }});
    counters_.malformed += counts.malformed;
    schedule_.Received(datagram.view.bytes().size() + kIpUdpSize);
    if (round_trip.has_value()) {
      out.Raise(RoundTripMeasured{*round_trip});
    }
  }
}

void Reporter::OnSenderReport(Timestamp now, Ssrc ssrc, uint64_t ntp_time) {
  ++counters_.sender_reports_received;
  Incoming* stream = FindIncoming(ssrc);
  if (stream == nullptr) {
    ++counters_.unknown_ssrc;
    return;
  }
  stream->last_sender_report = CompactNtp(ntp_time);
  stream->last_sender_report_at = now;
}

void Reporter::OnBlock(Timestamp now, const ReportBlock& block,
                       std::optional<TimeDelta>& round_trip, InterceptorOutbox& out) {
  ++counters_.blocks_received;
  if (FindOutgoing(block.ssrc) == nullptr) {
    ++counters_.unknown_ssrc;
    return;
  }
  out.Raise(LossReported{block.ssrc, block.fraction_lost});
  if (block.last_sender_report != 0) {
    Measure(sender_reports_.RoundTrip(now, block.last_sender_report,
                                      block.delay_since_last_sender_report),
            round_trip);
  }
}

void Reporter::OnAnswer(Timestamp now, const ReferenceTimeAnswer& answer,
                        std::optional<TimeDelta>& round_trip) {
  if (answer.ssrc == options_.ssrc && answer.last_reference_time != 0) {
    Measure(reference_reports_.RoundTrip(now, answer.last_reference_time, answer.delay_since),
            round_trip);
  }
}

void Reporter::Measure(std::optional<TimeDelta> measured, std::optional<TimeDelta>& round_trip) {
  if (!measured.has_value()) {
    ++counters_.round_trips_refused;
    return;
  }
  ++counters_.round_trips;
  round_trip = measured;
}

void Reporter::OnGoodbye(Timestamp now, Ssrc ssrc) {
  reference_times_.Remove(ssrc);
  Incoming* stream = FindIncoming(ssrc);
  if (stream != nullptr && !stream->left) {
    stream->left = true;
    stream->quiet_intervals = kSenderIntervals;
    schedule_.Left(now, Members());
  }
}

// ---- Reports that go. ----

void Reporter::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  if (now < schedule_.next()) {
    return;
  }
  const ReportMembers members = Members();
  if (!schedule_.Expire(now, members)) {
    return;
  }
  const size_t size = SendReports(now, out);
  for (Incoming& stream : incoming_) {
    stream.quiet_intervals = std::min<uint8_t>(stream.quiet_intervals + 1, kSenderIntervals);
  }
  for (Outgoing& stream : outgoing_) {
    stream.quiet_intervals = std::min<uint8_t>(stream.quiet_intervals + 1, kSenderIntervals);
  }
  schedule_.Sent(now, size, members);
}

size_t Reporter::SendReports(Timestamp now, InterceptorOutbox& out) {
  size_t heard = CountHeard();
  size_t size = kAroundReports;
  Ssrc reporter = options_.ssrc;
  bool sends = false;
  for (const Outgoing& stream : outgoing_) {
    if (!stream.active || stream.quiet_intervals >= kSenderIntervals) {
      continue;
    }
    const size_t blocks = sends ? 0 : std::min(heard, kMaxReportBlocks);
    const size_t written = SendSenderReport(now, stream, blocks, out);
    size += written;
    if (!sends && written > 0) {
      sends = true;
      reporter = stream.ssrc;
      heard -= blocks;
    }
  }
  // The first RR also without a block: that we are here is worth saying.
  bool first = !sends;
  while (first || heard > 0) {
    const size_t blocks = std::min(heard, kMaxReportBlocks);
    const size_t written = SendReceiverReport(now, reporter, blocks, out);
    if (written == 0) {
      break;
    }
    size += written;
    heard -= blocks;
    first = false;
  }
  return size + SendExtendedReport(now, reporter, options_.ask_reference_time && !sends, out);
}

size_t Reporter::SendSenderReport(Timestamp now, const Outgoing& stream, size_t blocks,
                                  InterceptorOutbox& out) {
  const std::optional<RtpTimestamp> timestamp = stream.clock.At(now);
  if (!timestamp.has_value()) {
    return 0;
  }
  const absl::Span<uint8_t> room = out.ReserveRtcp(kSenderReportSize + blocks * kReportBlockSize);
  if (room.empty()) {
    ++counters_.reports_dropped;
    return 0;
  }
  const uint64_t ntp_time = clock_.At(now);
  const SenderInfo info = {.ssrc = stream.ssrc,
                           .ntp_time = ntp_time,
                           .rtp_timestamp = *timestamp,
                           .packet_count = stream.packets,
                           .octet_count = stream.octets};
  out.CommitRtcp(WriteSenderReport(info, TakeBlocks(now, blocks), room));
  sender_reports_.Add(CompactNtp(ntp_time), now);
  ++counters_.sender_reports_sent;
  return room.size();
}

size_t Reporter::SendReceiverReport(Timestamp now, Ssrc reporter, size_t blocks,
                                    InterceptorOutbox& out) {
  const absl::Span<uint8_t> room = out.ReserveRtcp(kReceiverReportSize + blocks * kReportBlockSize);
  if (room.empty()) {
    ++counters_.reports_dropped;
    return 0;
  }
  out.CommitRtcp(WriteReceiverReport(reporter, TakeBlocks(now, blocks), room));
  ++counters_.receiver_reports_sent;
  return room.size();
}

size_t Reporter::SendExtendedReport(Timestamp now, Ssrc reporter, bool ask,
                                    InterceptorOutbox& out) {
  if (!ask && reference_times_.size() == 0) {
    return 0;
  }
  const absl::Span<uint8_t> room = out.ReserveRtcp(kExtendedReportRoom);
  if (room.empty()) {
    ++counters_.reports_dropped;
    return 0;
  }
  XrWriter writer(reporter, room);
  if (ask) {
    const uint64_t ntp_time = clock_.At(now);
    writer.Add(ReceiverReferenceTime{.ntp_time = ntp_time});
    reference_reports_.Add(CompactNtp(ntp_time), now);
    ++counters_.reference_times_sent;
  }
  std::array<ReferenceTimeAnswer, ReferenceTimes::kCapacity> answers;
  const size_t count = reference_times_.TakeAnswers(now, absl::MakeSpan(answers));
  if (count > 0) {
    writer.Add(absl::MakeConstSpan(answers).first(count));
    counters_.answers_sent += count;
  }
  const size_t size = writer.Finish();
  out.CommitRtcp(size);
  return size;
}

size_t Reporter::CountHeard() const {
  return static_cast<size_t>(
      std::count_if(incoming_.begin(), incoming_.end(), [](const Incoming& stream) {
        return stream.active && !stream.left && stream.statistics.heard();
      }));
}

absl::Span<const ReportBlock> Reporter::TakeBlocks(Timestamp now, size_t count) {
  size_t taken = 0;
  for (size_t i = 0; i < incoming_.size() && taken < count; ++i) {
    Incoming& stream = incoming_[next_block_slot_];
    next_block_slot_ = (next_block_slot_ + 1) % incoming_.size();
    if (!stream.active || stream.left || !stream.statistics.heard()) {
      continue;
    }
    ReportBlock& block = blocks_[taken++];
    block = {.ssrc = stream.ssrc,
             .fraction_lost = stream.statistics.EndInterval(),
             .cumulative_lost = stream.statistics.cumulative_lost(),
             .extended_highest_sequence = stream.statistics.extended_highest_sequence(),
             .jitter = stream.jitter.jitter(),
             .last_sender_report = stream.last_sender_report};
    if (stream.last_sender_report != 0) {
      block.delay_since_last_sender_report = ToCompactDelay(now - stream.last_sender_report_at);
    }
  }
  counters_.blocks_sent += taken;
  return absl::MakeConstSpan(blocks_).first(taken);
}

}  // namespace sluice

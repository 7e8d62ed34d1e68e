#include "interceptor/stats/rtp_stream_stats.h"

#include <algorithm>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptor/report/ntp_time.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/stats/e_model.h"

namespace sluice {
namespace {

// As many as any chain has.
constexpr size_t kMaxStreams = 1024;
// What a receiver's buffer adds: twice the jitter catches nearly all of it.
constexpr int64_t kBufferPerJitter = 2;
// Fractions of loss are in 1/256 (RFC 3550 section 6.4.1).
constexpr double kFractionUnit = 256;

void Add(TimeDelta measured, RoundTripStats& stats) {
  stats.last = measured;
  stats.total += measured;
  ++stats.measurements;
}

double OpinionScore(double loss, TimeDelta jitter, std::optional<TimeDelta> round_trip) {
  const TimeDelta network = round_trip.value_or(TimeDelta::Zero()) / 2;
  return MeanOpinionScore(
      TransmissionRating({.one_way_delay = network + jitter * kBufferPerJitter, .loss = loss}));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RtpStreamStats>> RtpStreamStats::Create(
    const RtpStreamStatsOptions& options) {
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  return absl::WrapUnique(new RtpStreamStats(options));
}

// ---- Streams. ----

void RtpStreamStats::OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
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
}

void RtpStreamStats::OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) {
  if (slot.value() >= incoming_.size()) {
    return;
  }
  if (direction == PacketDirection::kIncoming) {
    incoming_[slot.value()].active = false;
  } else {
    outgoing_[slot.value()].active = false;
  }
}

template <typename Streams>
auto* RtpStreamStats::Find(Streams& streams, Ssrc ssrc) {
  const auto found = std::find_if(streams.begin(), streams.end(), [=](const auto& stream) {
    return stream.active && stream.ssrc == ssrc;
  });
  return found == streams.end() ? nullptr : &*found;
}

template <typename Streams>
auto* RtpStreamStats::Find(Streams& streams, StreamSlot slot) {
  const bool there = slot.value() < streams.size() && streams[slot.value()].active;
  return there ? &streams[slot.value()] : nullptr;
}

// ---- Media. ----

// Once or twice per packet, and only here.
inline void RtpStreamStats::CountPacket(Timestamp now, const InterceptedRtp& packet,
                                        RtpTrafficStats& traffic) {
  const size_t payload = packet.view.payload_without_padding().size();
  traffic.last_packet = now;
  const bool repeated = packet.source == PacketSource::kRetransmission;
  switch (repeated ? SsrcRole::kRetransmission : packet.role) {
    case SsrcRole::kMedia:
      ++traffic.packets;
      traffic.payload_bytes += payload;
      traffic.overhead_bytes += packet.view.bytes().size() - payload;
      return;
    case SsrcRole::kRetransmission:
      ++traffic.retransmitted_packets;
      traffic.retransmitted_bytes += payload;
      return;
    case SsrcRole::kForwardErrorCorrection:
      ++traffic.repair_packets;
      traffic.repair_bytes += payload;
      return;
  }
}

void RtpStreamStats::OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                   InterceptorOutbox&) {
  for (const InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= incoming_.size()) {
      continue;  // kNoStream is behind all.
    }
    Incoming& stream = incoming_[packet.stream.value()];
    CountPacket(now, packet, stream.traffic);
    if (packet.role == SsrcRole::kMedia) {
      const std::optional<Timestamp> arrival = packet.attributes.Get(&PacketAttributes::arrival);
      CountMedia(arrival.value_or(now), packet, stream);
    }
  }
}

void RtpStreamStats::CountMedia(Timestamp arrival, const InterceptedRtp& packet, Incoming& stream) {
  const ReceptionVerdict verdict = stream.reception.Record(packet.view.sequence_number());
  if (verdict == ReceptionVerdict::kFar) {
    return;
  }
  if (verdict == ReceptionVerdict::kRestarted) {
    stream.jitter.Restart();
  }
  stream.jitter.Update(arrival, packet.view.timestamp(),
                       stream.clocks.RateOf(packet.view.payload_type()));
  if (arrival - stream.window_begin >= kQualityWindow) {
    stream.window_begin = arrival;
    stream.window_loss = stream.reception.EndInterval();
  }
}

void RtpStreamStats::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                   InterceptorOutbox&) {
  for (const InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= outgoing_.size()) {
      continue;
    }
    Outgoing& stream = outgoing_[packet.stream.value()];
    CountPacket(now, packet, stream.traffic);
    if (packet.role == SsrcRole::kMedia) {
      stream.payload_type = packet.view.payload_type();
    }
  }
}

// ---- RTCP. ----

template <typename Stream>
void RtpStreamStats::CountFeedback(std::vector<Stream>& streams, Ssrc ssrc,
                                   uint64_t RtpFeedbackStats::*count, uint64_t* unknown) {
  Stream* stream = Find(streams, ssrc);
  if (stream != nullptr) {
    ++(stream->feedback.*count);
  } else if (unknown != nullptr) {
    ++*unknown;
  }
}

void RtpStreamStats::OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                                    InterceptorOutbox&) {
  for (const InterceptedRtcp& datagram : packets) {
    const auto read_blocks = [&](const auto& report) {
      for (size_t i = 0; i < report.block_count(); ++i) {
        OnBlock(now, report.block(i));
      }
    };
    const auto count = [&](Ssrc ssrc, uint64_t RtpFeedbackStats::*figure) {
      CountFeedback(outgoing_, ssrc, figure, &counters_.unknown_ssrc);
    };
    const RtcpReadCounts counts = ReadCompound(
        datagram.view,
        RtcpReader{
            [&](const SenderReportView& report) {
              OnSenderReport(now, report.sender());
              read_blocks(report);
            },
            [&](const ReceiverReportView& report) { read_blocks(report); },
            [&](const XrView& report) { OnExtendedReport(now, report); },
            [&](const NackView& nack) { count(nack.media(), &RtpFeedbackStats::nacks); },
            [&](const PictureLoss& loss) { count(loss.media, &RtpFeedbackStats::picture_losses); },
            [&](const FullIntraRequestView& request) {
              for (size_t i = 0; i < request.target_count(); ++i) {
                count(request.target(i).ssrc, &RtpFeedbackStats::full_intra_requests);
              }
            }});
    counters_.malformed += counts.malformed;
  }
}

void RtpStreamStats::OnOutgoingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                                    InterceptorOutbox&) {
  for (const InterceptedRtcp& datagram : packets) {
    const auto count = [&](Ssrc ssrc, uint64_t RtpFeedbackStats::*figure) {
      CountFeedback(incoming_, ssrc, figure, nullptr);
    };
    ReadCompound(
        datagram.view,
        RtcpReader{
            [&](const SenderReportView& report) {
              if (Outgoing* stream = Find(outgoing_, report.sender().ssrc)) {
                ++stream->sender_reports;
                stream->sent_reports.Add(CompactNtp(report.sender().ntp_time), now);
              }
            },
            [&](const XrView& report) {
              report.ForEachBlock([&](const ReceiverReferenceTime& time) {
                reference_reports_.Add(CompactNtp(time.ntp_time), now);
              });
            },
            [&](const NackView& nack) { count(nack.media(), &RtpFeedbackStats::nacks); },
            [&](const PictureLoss& loss) { count(loss.media, &RtpFeedbackStats::picture_losses); },
            [&](const FullIntraRequestView& request) {
              for (size_t i = 0; i < request.target_count(); ++i) {
                count(request.target(i).ssrc, &RtpFeedbackStats::full_intra_requests);
              }
            }});
  }
}

void RtpStreamStats::OnSenderReport(Timestamp now, const SenderInfo& sender) {
  Incoming* stream = Find(incoming_, sender.ssrc);
  if (stream == nullptr) {
    ++counters_.unknown_ssrc;
    return;
  }
  ++stream->remote.reports;
  stream->remote.last_report = now;
  stream->remote.packets = sender.packet_count;
  stream->remote.payload_bytes = sender.octet_count;
  stream->remote.ntp_time = sender.ntp_time;
  stream->remote.rtp_timestamp = sender.rtp_timestamp;
}

void RtpStreamStats::OnBlock(Timestamp now, const ReportBlock& block) {
  Outgoing* stream = Find(outgoing_, block.ssrc);
  if (stream == nullptr) {
    ++counters_.unknown_ssrc;
    return;
  }
  RemoteInboundRtpStats& remote = stream->remote;
  ++remote.reports;
  remote.last_report = now;
  remote.fraction_lost = block.fraction_lost / kFractionUnit;
  remote.cumulative_lost = block.cumulative_lost;
  remote.extended_highest_sequence = block.extended_highest_sequence;
  remote.jitter_units = block.jitter;
  remote.jitter = TimeDelta::Micros(int64_t{block.jitter} * 1'000'000 /
                                    stream->clocks.RateOf(stream->payload_type));
  if (block.last_sender_report != 0) {
    Measure(stream->sent_reports.RoundTrip(now, block.last_sender_report,
                                           block.delay_since_last_sender_report),
            &remote.round_trip);
  }
}

void RtpStreamStats::OnExtendedReport(Timestamp now, const XrView& report) {
  const XrBlockCounts counts =
      report.ForEachBlock(RtcpReader{[&](const ReferenceTimeAnswers& answers) {
                                       for (size_t i = 0; i < answers.count(); ++i) {
                                         OnAnswer(now, report.ssrc(), answers.answer(i));
                                       }
                                     },
                                     [&](const VoipMetrics& metrics) {
                                       if (Outgoing* stream = Find(outgoing_, metrics.ssrc)) {
                                         stream->remote.voip = metrics;
                                       } else {
                                         ++counters_.unknown_ssrc;
                                       }
                                     }});
  counters_.malformed += counts.malformed;
}

void RtpStreamStats::OnAnswer(Timestamp now, Ssrc from, const ReferenceTimeAnswer& answer) {
  if (answer.last_reference_time == 0) {
    return;
  }
  Incoming* stream = Find(incoming_, from);
  Measure(reference_reports_.RoundTrip(now, answer.last_reference_time, answer.delay_since),
          stream == nullptr ? nullptr : &stream->remote.round_trip);
}

void RtpStreamStats::Measure(std::optional<TimeDelta> measured, RoundTripStats* of_stream) {
  if (!measured.has_value()) {
    ++counters_.round_trips_refused;
    return;
  }
  Add(*measured, round_trip_);
  if (of_stream != nullptr) {
    Add(*measured, *of_stream);
  }
}

// ---- Figures. ----

std::optional<InboundRtpStats> RtpStreamStats::SnapshotOf(const Incoming* stream) const {
  if (stream == nullptr) {
    return std::nullopt;
  }
  InboundRtpStats result = {.ssrc = stream->ssrc,
                            .traffic = stream->traffic,
                            .lost = stream->reception.lost(),
                            .late = stream->reception.late(),
                            .duplicates = stream->reception.duplicates(),
                            .restarts = stream->reception.restarts(),
                            .jitter_units = stream->jitter.jitter(),
                            .jitter = stream->jitter.duration(),
                            .recent_loss = stream->window_loss / kFractionUnit,
                            .feedback_sent = stream->feedback,
                            .remote = stream->remote};
  if (stream->reception.started()) {
    result.mean_opinion_score = OpinionScore(result.recent_loss, result.jitter, round_trip_.last);
  }
  return result;
}

std::optional<OutboundRtpStats> RtpStreamStats::SnapshotOf(const Outgoing* stream) {
  if (stream == nullptr) {
    return std::nullopt;
  }
  OutboundRtpStats result = {.ssrc = stream->ssrc,
                             .traffic = stream->traffic,
                             .sender_reports = stream->sender_reports,
                             .feedback_received = stream->feedback,
                             .remote = stream->remote};
  RemoteInboundRtpStats& remote = result.remote;
  if (remote.reports > 0) {
    remote.mean_opinion_score =
        OpinionScore(remote.fraction_lost, remote.jitter, remote.round_trip.last);
  }
  return result;
}

std::optional<InboundRtpStats> RtpStreamStats::InboundSnapshot(StreamSlot slot) const {
  return SnapshotOf(Find(incoming_, slot));
}

std::optional<OutboundRtpStats> RtpStreamStats::OutboundSnapshot(StreamSlot slot) const {
  return SnapshotOf(Find(outgoing_, slot));
}

std::optional<InboundRtpStats> RtpStreamStats::InboundSnapshot(Ssrc media_ssrc) const {
  return SnapshotOf(Find(incoming_, media_ssrc));
}

std::optional<OutboundRtpStats> RtpStreamStats::OutboundSnapshot(Ssrc media_ssrc) const {
  return SnapshotOf(Find(outgoing_, media_ssrc));
}

}  // namespace sluice

#ifndef INTERCEPTOR_STATS_RTP_STREAM_STATS_H_
#define INTERCEPTOR_STATS_RTP_STREAM_STATS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/interceptor.h"
#include "interceptor/report/clock_rates.h"
#include "interceptor/report/interarrival_jitter.h"
#include "interceptor/report/reception_statistics.h"
#include "interceptor/report/sent_reports.h"
#include "interceptor/rtcp/report_block.h"
#include "interceptor/rtcp/sender_report.h"
#include "interceptor/rtcp/xr.h"
#include "interceptor/stats/rtp_stats.h"
#include "srtp/rtp_types.h"

namespace sluice {

struct RtpStreamStatsOptions {
  // As of the chain, 1..StreamSlots::kMaxStreams.
  size_t max_streams = 16;
};

// Since construction.
struct RtpStreamStatsCounters {
  // Incoming RTCP about or from SSRCs that no stream has.
  uint64_t unknown_ssrc = 0;
  // Answers to a report that never left, or kept for longer than it has been away.
  uint64_t round_trips_refused = 0;
  // Incoming RTCP packets, or blocks of one, that are not as they must be.
  uint64_t malformed = 0;
};

// What happens to each stream of a leg, counted where it meets the wire: both directions, and what
// the peer says of both. Changes no packet, sends nothing, tells nobody; whoever wants to know
// asks. All figures of a stream go when it is removed. One thread, also for the questions.
class RtpStreamStats : public Interceptor {
 public:
  // Loss is averaged over so long for the opinion score: shorter than a listener forgets, long
  // enough for 250 packets of speech.
  static constexpr TimeDelta kQualityWindow = TimeDelta::Seconds(5);

  // InvalidArgument when an option is out of its range.
  static absl::StatusOr<std::unique_ptr<RtpStreamStats>> Create(
      const RtpStreamStatsOptions& options);

  InterceptorKind kind() const override { return InterceptorKind::kStreamStatistics; }
  InterceptorHooks hooks() const override {
    return {
        .incoming_rtp = true, .incoming_rtcp = true, .outgoing_rtp = true, .outgoing_rtcp = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnOutgoingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override;

  // The stream in a place; nothing when none is there. For all streams ask for the places
  // 0 .. max_streams() - 1. Changes nothing, copies some hundred bytes, allocates nothing.
  std::optional<InboundRtpStats> InboundSnapshot(StreamSlot slot) const;
  std::optional<OutboundRtpStats> OutboundSnapshot(StreamSlot slot) const;
  // The stream with this media SSRC; looks at every place.
  std::optional<InboundRtpStats> InboundSnapshot(Ssrc media_ssrc) const;
  std::optional<OutboundRtpStats> OutboundSnapshot(Ssrc media_ssrc) const;
  // Of the leg: whichever stream measured it.
  const RoundTripStats& round_trip() const { return round_trip_; }
  size_t max_streams() const { return incoming_.size(); }

  const RtpStreamStatsCounters& counters() const { return counters_; }

 private:
  struct Incoming {
    bool active = false;
    Ssrc ssrc = Ssrc(0);
    ClockRates clocks;
    RtpTrafficStats traffic;
    RtpFeedbackStats feedback;
    ReceptionStatistics reception;
    InterarrivalJitter jitter;
    Timestamp window_begin = Timestamp::MinusInfinity();
    // In 1/256.
    uint8_t window_loss = 0;
    RemoteOutboundRtpStats remote;
  };
  struct Outgoing {
    bool active = false;
    Ssrc ssrc = Ssrc(0);
    ClockRates clocks;
    // Of the last packet: what the peer's jitter is in.
    PayloadType payload_type = PayloadType(0);
    RtpTrafficStats traffic;
    RtpFeedbackStats feedback;
    uint64_t sender_reports = 0;
    SentReports sent_reports;
    RemoteInboundRtpStats remote;
  };

  explicit RtpStreamStats(const RtpStreamStatsOptions& options)
      : incoming_(options.max_streams), outgoing_(options.max_streams) {}

  // Null when no active stream has the SSRC, or none is in the place.
  template <typename Streams>
  static auto* Find(Streams& streams, Ssrc ssrc);
  template <typename Streams>
  static auto* Find(Streams& streams, StreamSlot slot);
  static void CountPacket(Timestamp now, const InterceptedRtp& packet, RtpTrafficStats& traffic);
  // One feedback packet or target about the stream; counted as unknown where `unknown` is given.
  template <typename Stream>
  static void CountFeedback(std::vector<Stream>& streams, Ssrc ssrc,
                            uint64_t RtpFeedbackStats::*count, uint64_t* unknown);
  void CountMedia(Timestamp arrival, const InterceptedRtp& packet, Incoming& stream);

  void OnSenderReport(Timestamp now, const SenderInfo& sender);
  void OnBlock(Timestamp now, const ReportBlock& block);
  void OnExtendedReport(Timestamp now, const XrView& report);
  void OnAnswer(Timestamp now, Ssrc from, const ReferenceTimeAnswer& answer);
  void Measure(std::optional<TimeDelta> measured, RoundTripStats* of_stream);

  std::optional<InboundRtpStats> SnapshotOf(const Incoming* stream) const;
  static std::optional<OutboundRtpStats> SnapshotOf(const Outgoing* stream);

  // By slot.
  std::vector<Incoming> incoming_;
  std::vector<Outgoing> outgoing_;
  SentReports reference_reports_;
  RoundTripStats round_trip_;
  RtpStreamStatsCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_STATS_RTP_STREAM_STATS_H_

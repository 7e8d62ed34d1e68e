#ifndef INTERCEPTOR_REPORT_REPORTER_H_
#define INTERCEPTOR_REPORT_REPORTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/interceptor.h"
#include "interceptor/report/clock_rates.h"
#include "interceptor/report/interarrival_jitter.h"
#include "interceptor/report/media_clock.h"
#include "interceptor/report/ntp_time.h"
#include "interceptor/report/reception_statistics.h"
#include "interceptor/report/reference_times.h"
#include "interceptor/report/report_schedule.h"
#include "interceptor/report/sent_reports.h"
#include "interceptor/rtcp/report_block.h"
#include "interceptor/rtcp/xr.h"
#include "srtp/rtp_types.h"

namespace sluice {

struct ReporterOptions {
  // Who reports while nothing is sent: an SSRC of ours.
  Ssrc ssrc = Ssrc(0);
  // As of the chain.
  size_t max_streams = 16;
  // The NTP time of Timestamp::Zero(): the same for all legs of a process.
  uint64_t ntp_origin = 0;
  ReportScheduleOptions schedule;
  // Whether we ask for our round trip while nothing is sent: "rcvr-rtt" was agreed upon (RFC 3611
  // section 5.1). Who asks us is answered in any case.
  bool ask_reference_time = false;
};

// Since construction.
struct ReporterCounters {
  uint64_t sender_reports_sent = 0;
  uint64_t receiver_reports_sent = 0;
  uint64_t blocks_sent = 0;
  uint64_t reference_times_sent = 0;
  uint64_t answers_sent = 0;
  // Reports that the outbox had no room for; what they had to say is in the next ones.
  uint64_t reports_dropped = 0;

  uint64_t sender_reports_received = 0;
  uint64_t receiver_reports_received = 0;
  uint64_t blocks_received = 0;
  uint64_t reference_times_received = 0;
  // About or from SSRCs that no stream has.
  uint64_t unknown_ssrc = 0;
  uint64_t round_trips = 0;
  // Answers to a report that never left, or kept for longer than it has been away.
  uint64_t round_trips_refused = 0;
  // Receivers that were not answered: ReferenceTimes::kCapacity.
  uint64_t reference_times_forgotten = 0;
  // RTCP packets, or blocks of one, that are not as they must be.
  uint64_t malformed = 0;
};

// Sender and receiver reports (RFC 3550 section 6.4) with the times of section 6.2, and the round
// trip from the peer's: through report blocks while we send, through reference times (RFC 3611
// sections 4.4 and 4.5) while we do not. Told to others as RoundTripMeasured, at most once for each
// datagram, and LossReported for each stream of ours.
//
// Each stream that sent since the report before the last has an SR; none has one before its first
// packet. Blocks about everything heard since the last report go with the first SR, or with an RR
// of ReporterOptions::ssrc, and as many more RRs as it takes. Sources without a packet since have
// none (section 6.4). CNAMEs are added where reports leave (rtcp_assembler.h).
//
// Media counts: not retransmissions, parity or probes.
class Reporter : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range. `random` outlives the interceptor.
  static absl::StatusOr<std::unique_ptr<Reporter>> Create(const ReporterOptions& options,
                                                          RandomSource& random);

  InterceptorKind kind() const override { return InterceptorKind::kReports; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true, .incoming_rtcp = true, .outgoing_rtp = true, .timeout = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override;
  void OnTimeout(Timestamp now, InterceptorOutbox& out) override;
  Timestamp NextTimeout() const override { return schedule_.next(); }

  const ReporterCounters& counters() const { return counters_; }

 private:
  // Intervals that a source is a sender for after its last packet (RFC 3550 section 6.3.8).
  static constexpr uint8_t kSenderIntervals = 2;

  struct Incoming {
    bool active = false;
    // Said BYE, and nothing came since.
    bool left = false;
    // Without a packet, whole ones.
    uint8_t quiet_intervals = kSenderIntervals;
    Ssrc ssrc = Ssrc(0);
    // 0: no sender report came.
    uint32_t last_sender_report = 0;
    Timestamp last_sender_report_at = Timestamp::MinusInfinity();
    ClockRates clocks;
    ReceptionStatistics statistics;
    InterarrivalJitter jitter;
  };
  struct Outgoing {
    bool active = false;
    uint8_t quiet_intervals = kSenderIntervals;
    Ssrc ssrc = Ssrc(0);
    // Both wrap (RFC 3550 section 6.4.1).
    uint32_t packets = 0;
    uint32_t octets = 0;
    ClockRates clocks;
    MediaClock clock;
  };

  Reporter(const ReporterOptions& options, RandomSource& random);

  Incoming* FindIncoming(Ssrc ssrc);
  const Outgoing* FindOutgoing(Ssrc ssrc) const;
  ReportMembers Members() const;

  // Reading.
  void OnSenderReport(Timestamp now, Ssrc ssrc, uint64_t ntp_time);
  void OnBlock(Timestamp now, const ReportBlock& block, std::optional<TimeDelta>& round_trip,
               InterceptorOutbox& out);
  void OnAnswer(Timestamp now, const ReferenceTimeAnswer& answer,
                std::optional<TimeDelta>& round_trip);
  void OnGoodbye(Timestamp now, Ssrc ssrc);
  void Measure(std::optional<TimeDelta> measured, std::optional<TimeDelta>& round_trip);

  // Writing. Each returns bytes, 0 when there was no room.
  size_t SendReports(Timestamp now, InterceptorOutbox& out);
  size_t SendSenderReport(Timestamp now, const Outgoing& stream, size_t blocks,
                          InterceptorOutbox& out);
  size_t SendReceiverReport(Timestamp now, Ssrc reporter, size_t blocks, InterceptorOutbox& out);
  size_t SendExtendedReport(Timestamp now, Ssrc reporter, bool ask, InterceptorOutbox& out);
  size_t CountHeard() const;
  // The next `count` of those heard, whose intervals end; from where the last ones ended, so that
  // with too little room all have their turn.
  absl::Span<const ReportBlock> TakeBlocks(Timestamp now, size_t count);

  const ReporterOptions options_;
  const NtpClock clock_;
  ReportSchedule schedule_;
  // By slot.
  std::vector<Incoming> incoming_;
  std::vector<Outgoing> outgoing_;
  size_t streams_ = 0;
  // Sender reports of one interval have one time.
  SentReports sender_reports_;
  SentReports reference_reports_;
  ReferenceTimes reference_times_;
  size_t next_block_slot_ = 0;
  std::array<ReportBlock, kMaxReportBlocks> blocks_;
  ReporterCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_REPORTER_H_

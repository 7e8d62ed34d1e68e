#ifndef INTERCEPTOR_CCFB_CONGESTION_FEEDBACK_H_
#define INTERCEPTOR_CCFB_CONGESTION_FEEDBACK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/ccfb/report_generator.h"
#include "interceptor/ccfb/report_reader.h"
#include "interceptor/ccfb/sent_index.h"
#include "interceptor/interceptor.h"
#include "interceptor/twcc/feedback_pace.h"
#include "interceptor/twcc/report_builder.h"
#include "interceptor/twcc/send_log.h"
#include "srtp/rtp_types.h"

namespace sluice {

struct CongestionFeedbackOptions {
  // Whose feedback it is: an SSRC of ours.
  Ssrc sender = Ssrc(0);
  // The clock of our sender reports (RFC 8888 section 3.1): NTP time of Timestamp::Zero(), seconds
  // since 1900 in 32.32 bits.
  uint64_t ntp_origin = 0;
  // As of the chain.
  size_t max_streams = 16;
  // Incoming SSRCs reported on, 1..3072: media, retransmissions and parity have one each.
  size_t max_ssrcs = 16;
  // Packets of one SSRC that came and may be unreported or reported again: a power of two in
  // 64..32768. Feedback is sent when half of it is used: 5000 packets a second for 50 ms.
  size_t arrival_log = 512;
  // Packets sent that feedback may still come for: 40 Mbit/s of 1200 bytes for half a second.
  size_t send_log = 2048;
  // Packets reported on in one batch, 1..32768.
  size_t max_reports = 1024;
  FeedbackPaceOptions pace = {};
};

// Since construction.
struct CongestionFeedbackCounters {
  // Outgoing packets of streams with this feedback.
  uint64_t logged = 0;
  // Incoming packets of streams with it whose SSRC has no place.
  uint64_t unplaced = 0;
  // Feedback packets made, and those the outbox had no room for.
  uint64_t feedback_sent = 0;
  uint64_t feedback_dropped = 0;
  // Feedback packets understood, malformed RTCP in datagrams, and reports that found no attributes
  // object.
  uint64_t feedback_received = 0;
  uint64_t malformed = 0;
  uint64_t reports_dropped = 0;
};

// Congestion control feedback (RFC 8888), both sides of it, for streams that agreed on it: reports
// on incoming packets, and remembers outgoing ones. What the peer reports becomes
// PacketAttributes::feedback of its datagram. Packets keep their bytes: they are known by SSRC and
// sequence number. No packet's ECN mark is known, so all are reported as not capable of it.
class CongestionFeedback : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range.
  static absl::StatusOr<std::unique_ptr<CongestionFeedback>> Create(
      const CongestionFeedbackOptions& options);

  InterceptorKind kind() const override { return InterceptorKind::kCongestionFeedback; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true, .incoming_rtcp = true, .outgoing_rtp = true, .timeout = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  void OnStreamJoined(Timestamp now, PacketDirection direction, StreamSlot slot, SsrcRole role,
                      Ssrc ssrc) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnTimeout(Timestamp now, InterceptorOutbox& out) override;
  Timestamp NextTimeout() const override { return pace_.due(); }

  const CongestionFeedbackCounters& counters() const { return counters_; }
  const CongestionReportReader& reader() const { return reader_; }
  const ReportBuilder& reports() const { return reports_; }

 private:
  // By role: the generator's place of an SSRC.
  using Places = std::array<std::optional<size_t>, 3>;

  struct Incoming {
    bool reported = false;
    Places places;
  };

  explicit CongestionFeedback(const CongestionFeedbackOptions& options);

  void SendFeedback(Timestamp now, InterceptorOutbox& out);

  const uint64_t ntp_origin_;
  // By slot.
  std::vector<Incoming> incoming_;
  std::vector<bool> outgoing_;
  CongestionReportGenerator generator_;
  FeedbackPace pace_;
  SendLog sent_;
  SentIndex index_;
  ReportBuilder reports_;
  CongestionReportReader reader_;
  CongestionFeedbackCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_CCFB_CONGESTION_FEEDBACK_H_

#ifndef INTERCEPTOR_TWCC_TRANSPORT_WIDE_FEEDBACK_H_
#define INTERCEPTOR_TWCC_TRANSPORT_WIDE_FEEDBACK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/interceptor.h"
#include "interceptor/twcc/feedback_generator.h"
#include "interceptor/twcc/feedback_pace.h"
#include "interceptor/twcc/feedback_reader.h"
#include "interceptor/twcc/report_builder.h"
#include "interceptor/twcc/send_log.h"
#include "srtp/rtp_types.h"

namespace sluice {

struct TransportWideFeedbackOptions {
  // Whose feedback it is: an SSRC of ours.
  Ssrc sender = Ssrc(0);
  // As of the chain.
  size_t max_streams = 16;
  // Packets that came and may be unreported or reported again: powers of two in 64..32768. A
  // feedback is sent when half of it is used, so this is 20 000 packets a second for 50 ms.
  size_t arrival_log = 2048;
  // Packets sent that feedback may still come for: 40 Mbit/s of 1200 bytes for half a second.
  size_t send_log = 2048;
  // Packets reported on in one batch, 1..32768.
  size_t max_reports = 1024;
  FeedbackPaceOptions pace = {};
};

// Since construction.
struct TransportWideFeedbackCounters {
  // Outgoing packets of streams with the extension: numbered; their extension could not be written;
  // no room in front of them.
  uint64_t numbered = 0;
  uint64_t unwritable = 0;
  uint64_t no_headroom = 0;
  // Incoming packets of streams with the extension that came without it.
  uint64_t unnumbered = 0;
  // Feedback packets made, and those the outbox had no room for.
  uint64_t feedback_sent = 0;
  uint64_t feedback_dropped = 0;
  // Feedback packets understood, malformed RTCP in datagrams, and reports that found no attributes
  // object.
  uint64_t feedback_received = 0;
  uint64_t malformed = 0;
  uint64_t reports_dropped = 0;
};

// Transport-wide congestion control feedback
// (draft-holmer-rmcat-transport-wide-cc-extensions-01), both sides of it, for streams that have the
// header extension: numbers outgoing packets when they go, and reports on incoming ones. What the
// peer reports becomes PacketAttributes::feedback of its datagram.
class TransportWideFeedback : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range.
  static absl::StatusOr<std::unique_ptr<TransportWideFeedback>> Create(
      const TransportWideFeedbackOptions& options);

  InterceptorKind kind() const override { return InterceptorKind::kTransportFeedback; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true, .incoming_rtcp = true, .outgoing_rtp = true, .timeout = true};
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
  void OnTimeout(Timestamp now, InterceptorOutbox& out) override;
  Timestamp NextTimeout() const override { return pace_.due(); }

  const TransportWideFeedbackCounters& counters() const { return counters_; }
  const ArrivalLog& arrivals() const { return generator_.log(); }
  const ReportBuilder& reports() const { return reports_; }

 private:
  explicit TransportWideFeedback(const TransportWideFeedbackOptions& options);

  // The extension's id for packets of a slot; 0: not negotiated.
  static uint8_t IdOf(const std::vector<uint8_t>& ids, StreamSlot slot) {
    return slot.value() < ids.size() ? ids[slot.value()] : uint8_t{0};
  }
  std::vector<uint8_t>& ids(PacketDirection direction) {
    return direction == PacketDirection::kIncoming ? incoming_ids_ : outgoing_ids_;
  }
  void Number(Timestamp now, uint8_t id, InterceptedRtp& packet);
  void SendFeedback(Timestamp now, InterceptorOutbox& out);

  // By slot.
  std::vector<uint8_t> incoming_ids_;
  std::vector<uint8_t> outgoing_ids_;
  FeedbackGenerator generator_;
  FeedbackPace pace_;
  SendLog sent_;
  ReportBuilder reports_;
  FeedbackReader reader_;
  TransportWideFeedbackCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_TRANSPORT_WIDE_FEEDBACK_H_

#ifndef INTERCEPTOR_NACK_NACK_RESPONDER_H_
#define INTERCEPTOR_NACK_NACK_RESPONDER_H_

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
#include "interceptor/nack/repair_interval.h"
#include "interceptor/nack/retransmission_budget.h"
#include "interceptor/nack/send_history.h"
#include "srtp/rtp_types.h"

namespace sluice {

struct NackResponderOptions {
  // As of the chain.
  size_t max_streams = 16;
  // What is remembered of all streams together, powers of two in the ranges of SendHistory:
  // 2.5 Mbit/s of 1200 bytes for 0.8 seconds.
  size_t history_packets = 1024;
  size_t history_bytes = 256 * 1024;
  // Older packets are not repeated, more than 0: nobody waits for them any more.
  TimeDelta max_age = TimeDelta::Seconds(2);
  // Packets asked for that are looked for in one batch, 1..65536. A datagram may name six thousand,
  // and no peer of good will has a reason to.
  size_t max_requests = 1024;
  RetransmissionBudgetOptions budget = {};
  // Where there is no retransmission stream, a packet may go again as it was. Not on a leg with
  // SRTP: there a number that was used is refused (RFC 3711 section 9.1).
  bool plain_retransmission = false;
  // Assumed until one was measured, more than 0.
  TimeDelta initial_round_trip = TimeDelta::Millis(100);
};

// Since construction.
struct NackResponderCounters {
  // Media packets remembered; there already; too long.
  uint64_t stored = 0;
  uint64_t stored_duplicates = 0;
  uint64_t too_long = 0;
  // NACK packets understood; for SSRCs that are not repaired; malformed RTCP in datagrams.
  uint64_t nacks_received = 0;
  uint64_t unknown_ssrc = 0;
  uint64_t malformed = 0;
  // Packets asked for, and what became of them: repeated, with an SSRC of its own or as it was;
  // without a retransmission stream where they may not go as they were; not there; too old; on
  // their way already; more than may be repeated; no slot or no room in the outbox; too many in one
  // batch.
  uint64_t requests = 0;
  uint64_t retransmitted = 0;
  uint64_t repeated_plain = 0;
  uint64_t not_repeatable = 0;
  uint64_t not_found = 0;
  uint64_t too_old = 0;
  uint64_t under_way = 0;
  uint64_t over_budget = 0;
  uint64_t no_room = 0;
  uint64_t ignored = 0;
};

// Repair on the sending side: remembers what streams with generic NACK send, and repeats what the
// peer asks for (RFC 4585 section 6.2.1). Where retransmissions were negotiated they have SSRC,
// payload type and numbers of their own, drawn when they are made (RFC 4588 section 4); elsewhere
// the packet is sent again as it was, if the leg allows it, or not at all.
//
// A packet asked for before it ever passed is not parked: when it comes, late, it is sent, and that
// answers requests for the next round trip.
class NackResponder : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range. Retransmission streams begin where `random`
  // says; it outlives the interceptor.
  static absl::StatusOr<std::unique_ptr<NackResponder>> Create(const NackResponderOptions& options,
                                                               RandomSource& random);

  InterceptorKind kind() const override { return InterceptorKind::kNackResponder; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtcp = true, .outgoing_rtp = true, .events = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override;
  void OnEvent(Timestamp now, const InterceptorEvent& event, InterceptorOutbox& out) override;

  const NackResponderCounters& counters() const { return counters_; }
  const RetransmissionBudget& budget() const { return budget_; }

 private:
  // The numbers of one retransmission stream. They go on when its media stream ends and comes back:
  // for SRTP, who knows it by its SSRC, they must not run backwards.
  struct Numbering {
    // Nothing: free.
    std::optional<Ssrc> ssrc;
    uint16_t next = 0;
    bool active = false;
  };
  struct Stream {
    // Repaired now.
    bool active = false;
    // Has packets that may be repeated; others are not remembered.
    bool repeatable = false;
    StreamInfo info;
    // Null when there is no retransmission stream.
    Numbering* numbering = nullptr;
    // Of the packets sent.
    std::optional<uint16_t> newest;
  };

  NackResponder(const NackResponderOptions& options, RandomSource& random);

  void Remember(Timestamp now, StreamSlot slot, Stream& stream, const RtpPacketView& packet);
  // Of the retransmission stream with this SSRC, which is not active: as it was, else a new one in
  // place of one that is not active. There are as many as streams, so there is one.
  Numbering& BeginNumbering(Ssrc ssrc);
  // The repaired stream with this media SSRC; kNoStream when there is none.
  StreamSlot FindStream(Ssrc ssrc) const;
  void Answer(Timestamp now, StreamSlot slot, SequenceNumber sequence, InterceptorOutbox& out);
  // The packet that repeats `original`: one of the retransmission stream, `format` being the
  // payload type there, or with null the same again. No loan when there is no slot.
  static PacketLoan Repeat(const Stream& stream, const RtpPacketView& original,
                           const PayloadFormat* format, InterceptorOutbox& out);

  const NackResponderOptions options_;
  RandomSource& random_;
  RepairInterval interval_;
  // By slot. The SSRCs stand apart because they are searched: 0 and not active when there is none.
  std::vector<Stream> streams_;
  std::vector<Ssrc> ssrcs_;
  std::vector<Numbering> numberings_;
  SendHistory history_;
  RetransmissionBudget budget_;
  // Of this batch.
  size_t requests_left_ = 0;
  NackResponderCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_NACK_NACK_RESPONDER_H_

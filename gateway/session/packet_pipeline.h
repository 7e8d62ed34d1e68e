#ifndef GATEWAY_SESSION_PACKET_PIPELINE_H_
#define GATEWAY_SESSION_PACKET_PIPELINE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/rtp_summary.h"
#include "gateway/session/leg_entry.h"
#include "gateway/session/outbox.h"
#include "gateway/session/received_datagram.h"
#include "gateway/session/timer_queue.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"

namespace sluice {

// The way of a packet through a worker's sessions: legs judge it, everything that needs a key is
// done for the whole batch at once, and what others are to get is put into the outbox. Allocates in
// the constructor only.
class PacketPipeline {
 public:
  // All references outlive the pipeline. `timers` is keyed by the slot of a session.
  PacketPipeline(size_t receive_batch, size_t destinations_per_leg, LegSlots& legs,
                 SessionSlots& sessions, TimerQueue& timers, PacketArena& arena,
                 CryptoEngine& engine);

  // Takes the packets of the batch. More than `receive_batch` are handled in portions of that many.
  void HandleBatch(Timestamp now, absl::Span<ReceivedDatagram> batch, Outbox& out);

  // Datagrams for legs that are gone: they raced with the end of their socket.
  uint64_t stale_datagrams() const { return stale_datagrams_; }

 private:
  // A datagram that its leg admitted.
  struct Admitted {
    LegEntry* from;
    ReceivedDatagram* datagram;
    PacketKind kind;
    // Of unprotect_jobs_; kNoJob for plain RTP.
    uint32_t job;
  };
  // A packet for another leg.
  struct Outgoing {
    LegEntry* to;
    OutgoingDatagram datagram;
    PacketKind kind;
    // RTP only.
    RtpSummary rtp;
    // Of protect_jobs_; kNoJob for plain RTP.
    uint32_t job;
  };
  static constexpr uint32_t kNoJob = UINT32_MAX;

  void HandlePortion(Timestamp now, absl::Span<ReceivedDatagram> portion, Outbox& out);
  void Admit(Timestamp now, ReceivedDatagram& datagram);
  void Accept(Timestamp now, const Admitted& admitted, Outbox& out);
  void PushEvents(Timestamp now, const Session& session, const Leg& leg,
                  const Leg::Acceptance& acceptance, Outbox& out);
  // Asked when everything of a batch was concluded.
  void TellReceiveKeyLimits(Timestamp now, Outbox& out);
  void TellSendKeyLimits(Timestamp now, Outbox& out);
  void PushKeyLimit(Timestamp now, const LegEntry& entry, StreamDirection direction, KeyLimit limit,
                    Outbox& out);
  // False when nobody is to get it.
  bool Forward(Timestamp now, const Admitted& admitted, const RtpSummary& rtp, Outbox& out);
  void AddOutgoing(Timestamp now, Outgoing outgoing, Outbox& out);
  // Protects and pushes what was added.
  void Flush(Timestamp now, Outbox& out);

  const size_t receive_batch_;
  const size_t max_outgoing_;
  LegSlots& legs_;
  SessionSlots& sessions_;
  TimerQueue& timers_;
  PacketArena& arena_;
  CryptoEngine& engine_;

  std::vector<Admitted> admitted_;
  std::vector<UnprotectJob> unprotect_jobs_;
  std::vector<Outgoing> outgoing_;
  std::vector<ProtectJob> protect_jobs_;
  uint64_t stale_datagrams_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_PACKET_PIPELINE_H_

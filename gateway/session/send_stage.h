#ifndef GATEWAY_SESSION_SEND_STAGE_H_
#define GATEWAY_SESSION_SEND_STAGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/timestamp.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/rtp_summary.h"
#include "gateway/session/leg_entry.h"
#include "gateway/session/outbox.h"
#include "gateway/session/session_event.h"
#include "gateway/session/timer_queue.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_sender.h"

namespace sluice {

// What a worker's sessions share on the path of packets. All outlive who is given it.
struct PacketPathRooms {
  LegSlots& legs;
  SessionSlots& sessions;
  // By slot of a session.
  TimerQueue& timers;
  PacketArena& arena;
  CryptoEngine& engine;
};

// The second half of a packet's way: collects what legs are to get, has their chains work on it,
// protects everything at once and puts it into the outbox. Also takes what chains made. Allocates
// in the constructor only.
class SendStage {
 public:
  // `capacity`: packets that are protected together; more take several rounds.
  SendStage(size_t capacity, const PacketPathRooms& rooms);

  // A packet of another leg for the leg `to`, which passes the leg's chain in Flush. An empty loan
  // is a copy that there was no slot for.
  void Forward(Timestamp now, LegEntry& to, OutgoingDatagram datagram, PacketKind kind,
               const RtpSummary& rtp, Outbox& out);
  // What a leg's chain put into `made`: packets for the peer, which have passed the chain, and
  // events. Deliveries were the caller's to take before. Ends the batch of `made`.
  void TakeMade(Timestamp now, LegHandle handle, LegEntry& leg, InterceptorOutbox& made,
                Outbox& out);
  // Everything so far goes into the outbox.
  void Flush(Timestamp now, Outbox& out);

  // Of chains that forwarded packets passed here.
  InterceptorDrops interceptor_drops() const { return made_.drops(); }

 private:
  // A packet for a leg.
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
  // A key frame that a leg's peer wants of the streams it gets.
  struct KeyFrameWish {
    LegHandle leg;
    SessionHandle session;
    Ssrc ssrc{0};
  };
  // In one round; peers that want more at once ask again.
  static constexpr size_t kMaxKeyFrameWishes = 64;

  // The forwarded packets of one leg and kind, from the first of them on, pass its chain.
  void Intercept(Timestamp now, size_t first, Outbox& out);
  template <typename Row>
  void CollectRows(size_t first, std::vector<Row>& rows);
  void PassForwarded(Timestamp now, Outbox& out);
  void AskSources(Timestamp now, Outbox& out);
  void HandleEvents(Timestamp now, LegHandle handle, LegEntry& leg, const InterceptorOutbox& made,
                    Outbox& out);
  void AddReady(Timestamp now, Outgoing outgoing, Outbox& out);
  void SendReady(Timestamp now, Outbox& out);
  void TellKeyLimits(Timestamp now, Outbox& out);
  SessionEvent About(Timestamp now, SessionEventKind kind, const LegEntry& leg) const;

  const size_t capacity_;
  const PacketPathRooms rooms_;
  // Forwarded packets that have not passed their chains, and packets that need only be protected.
  std::vector<Outgoing> forwarded_;
  std::vector<Outgoing> ready_;
  std::vector<ProtectJob> protect_jobs_;
  std::vector<KeyFrameWish> wishes_;
  // Of one leg at a time.
  AttributesArena attributes_;
  InterceptorOutbox made_;
  std::vector<InterceptedRtp> rtp_rows_;
  std::vector<InterceptedRtcp> rtcp_rows_;
  std::vector<uint32_t> row_origins_;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_SEND_STAGE_H_

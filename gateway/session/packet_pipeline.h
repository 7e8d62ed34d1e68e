#ifndef GATEWAY_SESSION_PACKET_PIPELINE_H_
#define GATEWAY_SESSION_PACKET_PIPELINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/rtp_summary.h"
#include "gateway/session/leg_entry.h"
#include "gateway/session/outbox.h"
#include "gateway/session/received_datagram.h"
#include "gateway/session/send_stage.h"
#include "gateway/session/session.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"

namespace sluice {

// The way of a packet through a worker's sessions: legs judge it, everything that needs a key is
// done for the whole batch at once, the interceptors of its leg work on it, and what others are to
// get goes through SendStage into the outbox. Allocates in the constructor only.
class PacketPipeline {
 public:
  PacketPipeline(size_t receive_batch, size_t destinations_per_leg, const PacketPathRooms& rooms);

  // Takes the packets of the batch. More than `receive_batch` are handled in portions of that many.
  void HandleBatch(Timestamp now, absl::Span<ReceivedDatagram> batch, Outbox& out);
  // What is due in the chain of a leg, and where it leads to. To be followed by Flush.
  void HandleChainTimeout(Timestamp now, LegHandle handle, LegEntry& entry, Outbox& out);
  void Flush(Timestamp now, Outbox& out) { send_.Flush(now, out); }

  // Datagrams for legs that are gone: they raced with the end of their socket.
  uint64_t stale_datagrams() const { return stale_datagrams_; }
  // What the chains of all legs made and there was no room for.
  InterceptorDrops interceptor_drops() const { return made_.drops() + send_.interceptor_drops(); }

 private:
  // A datagram that its leg admitted.
  struct Admitted {
    LegEntry* from;
    ReceivedDatagram* datagram;
    PacketKind kind;
    // Of unprotect_jobs_; kNoJob for plain RTP.
    uint32_t job;
  };
  static constexpr uint32_t kNoJob = UINT32_MAX;

  void HandlePortion(Timestamp now, absl::Span<ReceivedDatagram> portion, Outbox& out);
  void Admit(Timestamp now, ReceivedDatagram& datagram);
  // What the leg says of a packet; nothing: it was rejected and is gone.
  std::optional<RtpSummary> Accept(Timestamp now, const Admitted& admitted, Outbox& out);
  // Handles the admitted packet at `first` and those behind it that go together with it; returns
  // how many.
  size_t HandleRun(Timestamp now, size_t first, Outbox& out);
  void HandleRtp(Timestamp now, absl::Span<const Admitted> run, Outbox& out);
  void HandleRtcp(Timestamp now, absl::Span<const Admitted> run, Outbox& out);
  void PushEvents(Timestamp now, const Session& session, const Leg& leg,
                  const Leg::Acceptance& acceptance, Outbox& out);
  // Asked when everything of a batch was concluded.
  void TellKeyLimits(Timestamp now, Outbox& out);
  // Hands the packet to everybody who is to get it, and says which verdict that is.
  PacketVerdict Forward(Timestamp now, const LegEntry& from, PacketLoan& packet, PacketKind kind,
                        const RtpSummary& rtp, Outbox& out);
  void ForwardDeliveries(Timestamp now, const LegEntry& from, Outbox& out);

  const size_t receive_batch_;
  const PacketPathRooms rooms_;

  std::vector<Admitted> admitted_;
  std::vector<UnprotectJob> unprotect_jobs_;
  // Of one leg at a time.
  AttributesArena attributes_;
  InterceptorOutbox made_;
  std::vector<InterceptedRtp> rtp_rows_;
  std::vector<InterceptedRtcp> rtcp_rows_;
  SendStage send_;
  uint64_t stale_datagrams_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_PACKET_PIPELINE_H_

#ifndef INTERCEPTOR_CHAIN_H_
#define INTERCEPTOR_CHAIN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/interceptor_kind.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/rtcp_assembler.h"
#include "interceptor/stream_info.h"
#include "interceptor/stream_slots.h"

namespace sluice {

struct ChainOptions {
  // Streams per direction, 1..StreamSlots::kMaxStreams. Interceptors size their state by it.
  size_t max_streams = 16;
  // Needs a CNAME.
  RtcpPolicy rtcp;
};

// The interceptors of one leg in the order of InterceptorKind. Batches pass the hooks that were
// asked for, nothing else; an empty chain does nothing. What an interceptor made during a call has
// passed the hooks between it and its destination when the call returns.
//
// The caller takes what the call put into `out`, and ends the batch. Nothing is allocated after
// Create. One thread; `now` does not run backwards. Interceptors hold packets: the arena that those
// are lent from outlives the chain.
class InterceptorChain {
 public:
  // InvalidArgument when two interceptors are of one kind, one is null or an option is out of its
  // range.
  static absl::StatusOr<std::unique_ptr<InterceptorChain>> Create(
      std::vector<std::unique_ptr<Interceptor>> interceptors, const ChainOptions& options);
  InterceptorChain(const InterceptorChain&) = delete;
  InterceptorChain& operator=(const InterceptorChain&) = delete;

  // A stream of this direction begins. Nothing changes unless the answer is kOk.
  [[nodiscard]] AddStreamVerdict AddStream(Timestamp now, PacketDirection direction,
                                           const StreamInfo& info);
  // Another SSRC of a stream came to be known: that of its retransmissions, or of its parity. False
  // where StreamSlots::Join is.
  bool JoinStream(Timestamp now, PacketDirection direction, Ssrc media_ssrc, SsrcRole role,
                  Ssrc ssrc);
  // Whose SSRC it is; kNoStream: nobody's.
  StreamSlots::Place FindStream(PacketDirection direction, Ssrc ssrc) const {
    return (direction == PacketDirection::kIncoming ? incoming_streams_ : outgoing_streams_)
        .Find(ssrc);
  }
  // The stream with this media SSRC ends; false when there is none.
  bool RemoveStream(Timestamp now, PacketDirection direction, Ssrc media_ssrc);

  // A batch from the peer, in the order of arrival, or for the peer, in the order of sending. The
  // answer is what no interceptor took: the front of `packets`, in order. Rows behind it are stale.
  absl::Span<InterceptedRtp> OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                           InterceptorOutbox& out);
  absl::Span<InterceptedRtp> OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                           InterceptorOutbox& out);
  absl::Span<InterceptedRtcp> OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                                             InterceptorOutbox& out);
  absl::Span<InterceptedRtcp> OnOutgoingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                                             InterceptorOutbox& out);
  // What the leg has to say to its interceptors.
  void OnEvent(Timestamp now, const InterceptorEvent& event, InterceptorOutbox& out);

  // Does everything due at or before `now`.
  void OnTimeout(Timestamp now, InterceptorOutbox& out);
  // When OnTimeout is next needed; PlusInfinity: never.
  Timestamp NextTimeout() const;

  bool empty() const { return interceptors_.empty(); }

 private:
  // One interceptor as seen by one hook.
  struct Stage {
    Interceptor* interceptor;
    // The kind's number: 0 is nearest to the wire.
    uint8_t position;
    bool takes_packets;
  };
  using Stages = absl::Span<const Stage>;

  InterceptorChain(std::vector<std::unique_ptr<Interceptor>> interceptors,
                   const ChainOptions& options);

  StreamSlots& streams(PacketDirection direction) {
    return direction == PacketDirection::kIncoming ? incoming_streams_ : outgoing_streams_;
  }
  // Those between `position` and the application, or the wire.
  static Stages StagesAbove(Stages incoming, uint8_t position);
  static Stages StagesBelow(Stages outgoing, uint8_t position);

  template <auto kHook, typename Row>
  static absl::Span<Row> Run(Stages stages, Timestamp now, absl::Span<Row> packets,
                             InterceptorOutbox& out);
  // Passes on what interceptors made until there is nothing new.
  void Settle(Timestamp now, InterceptorOutbox& out);
  void TellEvents(Timestamp now, InterceptorOutbox& out);
  // Rows for the next entries of one position; they are passed then.
  void TakeNext(std::vector<OutboxRtp>& list, size_t& passed, const StreamSlots& streams,
                InterceptorOutbox& out);
  void PassSends(Timestamp now, InterceptorOutbox& out);
  void PassDeliveries(Timestamp now, InterceptorOutbox& out);
  void PassRtcp(Timestamp now, InterceptorOutbox& out);

  // In the order of their kinds.
  std::vector<std::unique_ptr<Interceptor>> interceptors_;
  // Wire first for what comes in, application first for what goes out.
  std::vector<Stage> incoming_rtp_;
  std::vector<Stage> incoming_rtcp_;
  std::vector<Stage> outgoing_rtp_;
  std::vector<Stage> outgoing_rtcp_;
  std::vector<Stage> events_;
  std::vector<Stage> timeouts_;
  StreamSlots incoming_streams_;
  StreamSlots outgoing_streams_;
  RtcpAssembler rtcp_assembler_;
  // Rows of packets that interceptors made; reserved in full.
  std::vector<InterceptedRtp> made_rtp_;
  std::vector<InterceptedRtcp> made_rtcp_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_CHAIN_H_

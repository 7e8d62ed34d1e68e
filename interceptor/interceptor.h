#ifndef INTERCEPTOR_INTERCEPTOR_H_
#define INTERCEPTOR_INTERCEPTOR_H_

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/interceptor_kind.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/stream_info.h"

namespace sluice {

// Which calls an interceptor wants. The chain asks once and leaves out the others, so that what an
// interceptor does not do costs nothing.
struct InterceptorHooks {
  bool incoming_rtp = false;
  bool incoming_rtcp = false;
  bool outgoing_rtp = false;
  bool outgoing_rtcp = false;
  bool events = false;
  bool timeout = false;
  // May keep packets back (InterceptedRtp::Take).
  bool takes_packets = false;
};

// One mechanism of one leg: a state machine without effects. Packets are plain: what comes in is
// authenticated and decrypted, what goes out is not yet encrypted. Time is an argument, and what a
// mechanism wants sent or said goes into the outbox; nobody calls back. Calls come from one thread,
// with times that do not run backwards.
//
// Memory is taken when the interceptor is made; none of the calls below allocates, blocks or stops
// on what a peer sent. No call keeps `packets`, their views or their attributes: what is to stay is
// copied, or the loan is taken.
class Interceptor {
 public:
  virtual ~Interceptor() = default;

  // Constant, as is `hooks()`.
  virtual InterceptorKind kind() const = 0;
  virtual InterceptorHooks hooks() const = 0;

  // A stream begins; until OnStreamRemoved its packets come with `slot`, below the chain's
  // max_streams. Each slot holds one stream per direction at a time. For every interceptor,
  // whatever its hooks.
  virtual void OnStreamAdded(Timestamp /*now*/, PacketDirection /*direction*/, StreamSlot /*slot*/,
                             const StreamInfo& /*info*/) {}
  // The stream has one more SSRC than its StreamInfo said: packets with it come with `slot` and
  // `role` from now on.
  virtual void OnStreamJoined(Timestamp /*now*/, PacketDirection /*direction*/, StreamSlot /*slot*/,
                              SsrcRole /*role*/, Ssrc /*ssrc*/) {}
  // The stream is over: its state goes, packets held for it return to the arena, and nothing is
  // sent for it any more.
  virtual void OnStreamRemoved(Timestamp /*now*/, PacketDirection /*direction*/,
                               StreamSlot /*slot*/) {}

  // A batch from the peer, in the order of arrival; none is taken yet. Packets of unknown SSRCs
  // come too (stream == kNoStream).
  virtual void OnIncomingRtp(Timestamp /*now*/, absl::Span<InterceptedRtp> /*packets*/,
                             InterceptorOutbox& /*out*/) {}
  // Datagrams from the peer. Only their first header is proven; read them with rtcp/compound.h.
  virtual void OnIncomingRtcp(Timestamp /*now*/, absl::Span<InterceptedRtcp> /*packets*/,
                              InterceptorOutbox& /*out*/) {}
  // A batch for the peer, in the order of sending: forwarded packets, and those that an interceptor
  // further from the wire made.
  virtual void OnOutgoingRtp(Timestamp /*now*/, absl::Span<InterceptedRtp> /*packets*/,
                             InterceptorOutbox& /*out*/) {}
  // Datagrams for the peer, forwarded ones and ours, as they will be sent.
  virtual void OnOutgoingRtcp(Timestamp /*now*/, absl::Span<InterceptedRtcp> /*packets*/,
                              InterceptorOutbox& /*out*/) {}

  // An event that another interceptor, or the leg, raised.
  virtual void OnEvent(Timestamp /*now*/, const InterceptorEvent& /*event*/,
                       InterceptorOutbox& /*out*/) {}

  // Does everything due at or before `now`; may come early or late.
  virtual void OnTimeout(Timestamp /*now*/, InterceptorOutbox& /*out*/) {}
  // When OnTimeout is next needed; PlusInfinity: never. Changes only in the calls above.
  virtual Timestamp NextTimeout() const { return Timestamp::PlusInfinity(); }
};

}  // namespace sluice

#endif  // INTERCEPTOR_INTERCEPTOR_H_

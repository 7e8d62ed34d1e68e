#ifndef INTERCEPTOR_PACKET_LOG_PACKET_LOG_H_
#define INTERCEPTOR_PACKET_LOG_PACKET_LOG_H_

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/interceptor.h"
#include "interceptor/packet_log/packet_log_ring.h"

namespace sluice {

// Copies every plain packet of a leg, RTP and RTCP, as it comes from the wire and as it goes there,
// into a ring. Changes, holds and drops nothing; when nobody empties the ring, copies are lost and
// packets are not. Knows no key, and what it copies has none: keys travel in signalling only.
class PacketLog : public Interceptor {
 public:
  // The ring outlives this, has no other that pushes, and is closed with this.
  explicit PacketLog(PacketLogRing& ring) : ring_(ring) {}
  ~PacketLog() override {
    if (!released_) ring_.Close();
  }
  PacketLog(const PacketLog&) = delete;
  PacketLog& operator=(const PacketLog&) = delete;

  InterceptorKind kind() const override { return InterceptorKind::kPacketLog; }
  InterceptorHooks hooks() const override {
    return {
        .incoming_rtp = true, .incoming_rtcp = true, .outgoing_rtp = true, .outgoing_rtcp = true};
  }
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnOutgoingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override;

  // Another one pushes from now on: this one logs nothing more, and leaves the ring open.
  void Release() { released_ = true; }

  // Counts packets logged, cut and dropped.
  const PacketLogRing& ring() const { return ring_; }

 private:
  PacketLogRing& ring_;
  bool released_ = false;
};

}  // namespace sluice

#endif  // INTERCEPTOR_PACKET_LOG_PACKET_LOG_H_

#include "interceptor/packet_log/packet_log.h"

#include "interceptor/packet_attributes.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

template <typename Row>
void PushAll(Timestamp now, PacketDirection direction, PacketKind kind, absl::Span<Row> packets,
             PacketLogRing& ring) {
  for (const Row& row : packets) {
    // Of an outgoing packet it would be when it came to another leg.
    const Timestamp time = direction == PacketDirection::kIncoming
                               ? row.attributes.Get(&PacketAttributes::arrival).value_or(now)
                               : now;
    ring.Push(time, direction, kind, row.packet->bytes());
  }
}

}  // namespace

void PacketLog::OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                              InterceptorOutbox&) {
  PushAll(now, PacketDirection::kIncoming, PacketKind::kRtp, packets, ring_);
}

void PacketLog::OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                               InterceptorOutbox&) {
  PushAll(now, PacketDirection::kIncoming, PacketKind::kRtcp, packets, ring_);
}

void PacketLog::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                              InterceptorOutbox&) {
  PushAll(now, PacketDirection::kOutgoing, PacketKind::kRtp, packets, ring_);
}

void PacketLog::OnOutgoingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                               InterceptorOutbox&) {
  PushAll(now, PacketDirection::kOutgoing, PacketKind::kRtcp, packets, ring_);
}

}  // namespace sluice

#include "gateway/worker/packet_slots.h"

#include "gateway/io/receive_batch.h"
#include "interceptor/interceptor_outbox.h"

namespace sluice {
namespace {

// RTP each way and RTCP; one outbox for packets that come, one for those that go.
constexpr size_t kMadePackets =
    2 * (2 * InterceptorOutboxLimits().rtp_packets + InterceptorOutboxLimits().rtcp_packets);

}  // namespace

size_t PacketSlots(const WorkerLimits& limits) {
  size_t slots = 0;
  slots += limits.receive_batch;   // received, being processed
  slots += kSocketTurn;            // lent for the next receive call
  slots += limits.outbox_packets;  // waiting for sendmmsg, copies for fan-out included
  slots += limits.held_packets;    // kept by pacers and jitter buffers
  slots += kMadePackets;           // what chains make in one batch, on both sides
  slots += 1;                      // a copy being made, or opened with a key on trial
  return slots;
}

}  // namespace sluice
